#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "collectives/executor.hpp"
#include "placement/communication.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/strategy_groups.hpp"

namespace railyard::placement {

/// A collective that all groups of a shape do at once.
struct DimensionLoad {
  collectives::Kind kind = collectives::Kind::all_reduce;
  GroupShape shape{};
  double bytes = 0;
  bool operator==(const DimensionLoad&) const = default;
};

/// Makes the schedule by which a group does a collective: what the library would choose.
using ScheduleSource = std::function<collectives::Schedule(
    std::shared_ptr<const collectives::Group> group, const collectives::Collective& collective)>;

/// What runs collectives for placement.
struct Engine {
  const topology::Cluster& cluster;
  collectives::Executor& executor;
  ScheduleSource schedule;
};

/// Collectives by an Executor, on the GPUs where a mapping has the ranks: all groups of a dimension
/// run together, and the slowest one counts. Groups that stay inside nodes of one kind are run once
/// per pattern. A shape that is none of the strategy's is left to `otherwise`. Answers are kept by
/// kind, bytes and GPUs, also from one strategy to the next.
class ExecutedCollectives final : public CommunicationModel {
 public:
  /// The engine and `otherwise` must outlive it.
  ExecutedCollectives(const Engine& engine, CommunicationModel& otherwise)
      : engine_(engine), otherwise_(otherwise) {}

  /// Whose groups the shapes of time() stand for, until the next call.
  void place(const Strategy& strategy, const GroupShapes& shapes, const Mapping& mapping);

  [[nodiscard]] Time time(collectives::Kind kind, const GroupShape& shape, double bytes) override;
  /// Collectives of several of the strategy's shapes, all groups of all of them starting at once:
  /// when the slowest group of each is done.
  [[nodiscard]] std::vector<Time> together(std::span<const DimensionLoad> loads);
  /// Kinds of links that a collective crosses by itself: bit topology::LinkKind. None where it is
  /// left to `otherwise`.
  [[nodiscard]] unsigned link_kinds(const DimensionLoad& load);
  /// How often the executor ran for time().
  [[nodiscard]] std::size_t runs() const { return known_.size(); }

 private:
  using GpuGroups = std::vector<std::vector<Rank>>;
  struct Placed {
    GroupShape shape;
    GpuGroups all;                      ///< every group
    GpuGroups groups;                   ///< those that are run where nothing else is
    std::uint64_t fingerprint = 0;      ///< of `groups`
    std::uint64_t all_fingerprint = 0;  ///< of `all`
  };
  struct Known {
    Time time{};
    unsigned link_kinds = 0;
  };
  [[nodiscard]] GpuGroups on_gpus(const RankGroups& groups, const Mapping& mapping) const;
  [[nodiscard]] GpuGroups without_copies(const GpuGroups& all) const;
  void add(const GroupShape& shape, const RankGroups& groups, const Mapping& mapping);
  [[nodiscard]] const Placed* placed(const GroupShape& shape) const;
  [[nodiscard]] const Known& known(const Placed& placed, collectives::Kind kind, double bytes);
  [[nodiscard]] Known run(collectives::Kind kind, const GpuGroups& groups, Bytes bytes) const;
  void add_schedules(collectives::Kind kind, const GpuGroups& groups, Bytes bytes,
                     std::vector<collectives::Schedule>& schedules) const;

  const Engine& engine_;
  CommunicationModel& otherwise_;
  std::vector<Placed> placed_;
  using Asked = std::tuple<collectives::Kind, std::int64_t, std::uint64_t>;
  std::map<Asked, Known> known_;
  std::map<std::vector<Asked>, std::vector<Time>> known_together_;
};

}  // namespace railyard::placement
