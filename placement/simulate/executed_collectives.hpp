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

/// Times of one strategy's collectives by an Executor, on the GPUs of a mapping. All groups of a
/// role run together, and the slowest counts. Groups inside equal nodes are simulated once per
/// pattern. Results are cached in GroupRuns, which several strategies share.
class ExecutedCollectives final : public CommunicationModel {
 public:
  /// Whether a group with this GPU counts.
  using Counts = std::function<bool(Rank gpu)>;

  /// All groups run. With `counts` only groups with such a GPU count for the time. Roles without a
  /// counted group and groups of one rank use `otherwise`, which must outlive it.
  ExecutedCollectives(std::shared_ptr<GroupRuns> runs, const CommunicationModel& otherwise,
                      const Strategy& strategy, const Mapping& mapping, const Counts& counts = {});

  [[nodiscard]] Time time(const GroupCollective& collective) const override;
  /// Collectives of several roles whose groups all start together: end of the slowest group of
  /// each.
  [[nodiscard]] std::vector<Time> together(std::span<const GroupCollective> collectives) const;
  /// Kinds of links that a collective uses alone, one bit per topology::LinkKind; 0 if `otherwise`
  /// prices it.
  [[nodiscard]] unsigned link_kinds(const GroupCollective& collective) const;

 private:
  struct Placed {
    GpuGroups all{};     ///< all groups
    GpuGroups groups{};  ///< the groups to simulate alone: without copies of equal nodes
    /// indices of the groups that count, in `all` and in `groups`
    std::vector<std::size_t> all_counted{}, counted{};
  };
  [[nodiscard]] const Placed* placed(GroupRole role) const;

  std::shared_ptr<GroupRuns> runs_;
  const CommunicationModel& otherwise_;
  std::array<std::shared_ptr<const Placed>, kGroupRoles.size()> placed_{};  ///< by role
};

}  // namespace railyard::placement
