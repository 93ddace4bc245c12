#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/meetings.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::hw {

/// The collectives and messages of a workload for a live backend, whose rank r runs the program of
/// rank r: which operations belong together (meetings), and the schedule of each load.
class LiveLoads {
 public:
  /// Schedules are those of ranks on gpus[r] of `cluster` (load_schedules). The workload must
  /// outlive it. Throws InputError with the problems that check_workload() finds.
  LiveLoads(const collectives::Workload& workload, const topology::Cluster& cluster,
            std::span<const Rank> gpus, const collectives::ScheduleSource& source);

  [[nodiscard]] const collectives::Workload& workload() const { return communications_.workload(); }
  /// Every rank is a class of its own: the class of a rank is its number.
  [[nodiscard]] const collectives::Meetings& meetings() const { return meetings_; }
  [[nodiscard]] std::size_t load_count() const { return schedules_.size(); }
  [[nodiscard]] std::uint32_t load_of(std::uint32_t meeting) const {
    return meetings_.meetings[meeting].load;
  }
  /// The schedule of a load; nullptr if it has no bytes and its ranks only wait for each other. A
  /// message is a broadcast from its sender, position 0, to its receiver.
  [[nodiscard]] const collectives::Schedule* schedule(std::uint32_t load) const {
    return schedules_[load].get();
  }
  /// The ranks of a load, by position in its schedule's group.
  [[nodiscard]] std::span<const std::uint32_t> ranks(std::uint32_t load) const;

 private:
  collectives::Communications communications_;
  collectives::Meetings meetings_;
  std::vector<std::unique_ptr<const collectives::Schedule>> schedules_;
};

}  // namespace railyard::hw
