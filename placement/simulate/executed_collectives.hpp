#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "placement/cost/communication.hpp"
#include "placement/cost/group_runs.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

/// A collective that all groups of a shape do at once.
struct DimensionLoad {
  collectives::Kind kind = collectives::Kind::all_reduce;
  GroupShape shape{};
  double bytes = 0;
  bool operator==(const DimensionLoad&) const = default;
};

/// Collectives by an Executor, on the GPUs where a mapping has the ranks: all groups of a dimension
/// run together, and the slowest one counts. Groups that stay inside nodes of one kind are run once
/// per pattern. A shape that is none of the strategy's is left to `otherwise`. Answers are kept
/// from one strategy to the next (GroupRuns).
class ExecutedCollectives final : public CommunicationModel {
 public:
  /// The engine and `otherwise` must outlive it.
  ExecutedCollectives(const Engine& engine, CommunicationModel& otherwise)
      : ExecutedCollectives(std::make_shared<GroupRuns>(engine), otherwise) {}
  /// With what others that share the runs have asked before.
  ExecutedCollectives(std::shared_ptr<GroupRuns> runs, CommunicationModel& otherwise)
      : runs_(std::move(runs)), otherwise_(otherwise) {}

  /// Which GPUs' groups are asked about.
  using Counts = std::function<bool(Rank gpu)>;

  /// Whose groups the shapes of time() stand for, until the next call. With `counts` all groups run
  /// as ever, but only those with such a GPU count; shapes of which none does are left to
  /// `otherwise`.
  void place(const Strategy& strategy, const GroupShapes& shapes, const Mapping& mapping,
             const Counts& counts = {});

  [[nodiscard]] Time time(collectives::Kind kind, const GroupShape& shape, double bytes) override;
  /// Collectives of several of the strategy's shapes, all groups of all of them starting at once:
  /// when the slowest group of each is done.
  [[nodiscard]] std::vector<Time> together(std::span<const DimensionLoad> loads);
  /// Kinds of links that a collective crosses by itself: bit topology::LinkKind. None where it is
  /// left to `otherwise`.
  [[nodiscard]] unsigned link_kinds(const DimensionLoad& load);
  /// How often the executor ran for time().
  [[nodiscard]] std::size_t runs() const { return runs_->runs(); }

 private:
  struct Placed {
    GroupShape shape{};
    GpuGroups all{};     ///< every group
    GpuGroups groups{};  ///< those that are run where nothing else is
    std::vector<std::size_t> all_counted{}, counted{};
  };
  void add(const GroupShape& shape, const RankGroups& groups, const Mapping& mapping,
           const Counts& counts);
  [[nodiscard]] const Placed* placed(const GroupShape& shape) const;

  std::shared_ptr<GroupRuns> runs_;
  CommunicationModel& otherwise_;
  std::vector<Placed> placed_;
};

}  // namespace railyard::placement
