#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/workload/workload_result.hpp"

namespace railyard::placement {

/// Makes the schedule of a group's collective, by the algorithm that the library would choose.
using ScheduleSource = std::function<collectives::Schedule(
    std::shared_ptr<const collectives::Group> group, const collectives::Collective& collective)>;

/// An engine that runs collectives of groups, with the cluster that it simulates.
struct Engine {
  const topology::Cluster& cluster;
  collectives::Executor& executor;
  ScheduleSource schedule;
  /// Nodes whose links differ from those of their shape (faults, traffic of other jobs). Results of
  /// equal nodes do not apply to them.
  std::set<NodeId> odd_nodes{};
  /// Runs whole steps. Empty if the engine runs only collectives; `why_no_steps` gives the reason.
  collectives::WorkloadPreparer whole_steps{};
  std::string why_no_steps{};
};

/// Groups of GPUs that perform the same collective at the same time.
struct GpuGroups {
  GpuGroups() = default;
  explicit GpuGroups(std::vector<std::vector<Rank>> members);
  std::vector<std::vector<Rank>> gpus{};
  std::uint64_t fingerprint = 0;
};

/// One collective of several groups: `bytes` as in GroupCollective.
struct GroupLoad {
  collectives::Kind kind = collectives::Kind::all_reduce;
  const GpuGroups& groups;
  double bytes = 0;
};

/// Runs collectives of groups on an engine, and caches the times by kind, bytes and GPUs.
class GroupRuns {
 public:
  /// The engine must outlive it.
  explicit GroupRuns(const Engine& engine) : engine_(engine) {}

  /// Time at which each group is done if all start together, and the kinds of links that they use
  /// (one bit per topology::LinkKind).
  struct Answer {
    std::vector<Time> done{};
    unsigned link_kinds = 0;
  };
  [[nodiscard]] const Answer& alone(const GroupLoad& load);
  /// The same for several collectives that start together: results by load, then by group.
  [[nodiscard]] const std::vector<std::vector<Time>>& together(std::span<const GroupLoad> loads);
  /// If all groups are inside nodes: only the groups of one node per pattern, and those of every
  /// odd node. Otherwise all groups.
  [[nodiscard]] GpuGroups representative_groups(const GpuGroups& all) const;
  /// Number of executor runs by alone().
  [[nodiscard]] std::size_t runs() const { return known_.size(); }

 private:
  using Asked = std::tuple<collectives::Kind, std::int64_t, std::uint64_t>;
  [[nodiscard]] collectives::Run run(std::span<const GroupLoad> loads) const;

  const Engine& engine_;
  std::map<Asked, Answer> known_;
  std::map<std::vector<Asked>, std::vector<std::vector<Time>>> known_together_;
};

}  // namespace railyard::placement
