#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "placement/cost/communication.hpp"
#include "placement/cost/group_runs.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

/// Collectives of one strategy by an Executor, on the GPUs where a mapping has its ranks: all
/// groups of a role run together, and the slowest one counts. Groups that stay inside nodes of one
/// kind are run once per pattern. Answers are kept in GroupRuns, which several strategies share.
class ExecutedCollectives final : public CommunicationModel {
 public:
  /// Which GPUs' groups are asked about.
  using Counts = std::function<bool(Rank gpu)>;

  /// With `counts` all groups run, but only those with such a GPU count; roles without a counted
  /// group, and groups of one rank, are left to `otherwise`, which must outlive it.
  ExecutedCollectives(std::shared_ptr<GroupRuns> runs, const CommunicationModel& otherwise,
                      const Strategy& strategy, const Mapping& mapping, const Counts& counts = {});

  [[nodiscard]] Time time(const GroupCollective& collective) const override;
  /// Collectives of several roles, all groups of all of them starting at once: when the slowest
  /// group of each is done.
  [[nodiscard]] std::vector<Time> together(std::span<const GroupCollective> collectives) const;
  /// Kinds of links that a collective crosses by itself: bit topology::LinkKind. None where it is
  /// left to `otherwise`.
  [[nodiscard]] unsigned link_kinds(const GroupCollective& collective) const;

 private:
  struct Placed {
    GpuGroups all{};     ///< every group
    GpuGroups groups{};  ///< those that are run where nothing else is
    std::vector<std::size_t> all_counted{}, counted{};
  };
  [[nodiscard]] const Placed* placed(GroupRole role) const;

  std::shared_ptr<GroupRuns> runs_;
  const CommunicationModel& otherwise_;
  std::array<std::shared_ptr<const Placed>, kGroupRoles.size()> placed_{};  ///< by role
};

}  // namespace railyard::placement
