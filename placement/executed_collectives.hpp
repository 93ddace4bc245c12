#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "collectives/executor.hpp"
#include "placement/communication.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/strategy_groups.hpp"

namespace railyard::placement {

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
  /// How often the executor ran.
  [[nodiscard]] std::size_t runs() const { return known_.size(); }

 private:
  using GpuGroups = std::vector<std::vector<Rank>>;
  struct Placed {
    GroupShape shape;
    GpuGroups groups;
    std::uint64_t fingerprint = 0;
  };
  [[nodiscard]] GpuGroups on_gpus(const RankGroups& groups, const Mapping& mapping) const;
  void add(const GroupShape& shape, const RankGroups& groups, const Mapping& mapping);
  [[nodiscard]] Time run(collectives::Kind kind, const GpuGroups& groups, Bytes bytes) const;

  const Engine& engine_;
  CommunicationModel& otherwise_;
  std::vector<Placed> placed_;
  std::map<std::tuple<collectives::Kind, std::int64_t, std::uint64_t>, Time> known_;
};

}  // namespace railyard::placement
