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

/// Makes the schedule by which a group does a collective: what the library would choose.
using ScheduleSource = std::function<collectives::Schedule(
    std::shared_ptr<const collectives::Group> group, const collectives::Collective& collective)>;

/// What runs collectives for placement.
struct Engine {
  const topology::Cluster& cluster;
  collectives::Executor& executor;
  ScheduleSource schedule;
  /// Nodes with links that are not as their shape has them (faults, other jobs): none stands for
  /// another.
  std::set<NodeId> odd_nodes{};
  /// Runs whole steps. Empty where the engine runs collectives only: `why_no_steps`.
  collectives::WorkloadPreparer whole_steps{};
  std::string why_no_steps{};
};

/// Groups of GPUs that do the same at the same time.
struct GpuGroups {
  GpuGroups() = default;
  explicit GpuGroups(std::vector<std::vector<Rank>> members);
  std::vector<std::vector<Rank>> gpus{};
  std::uint64_t fingerprint = 0;
};

/// What a collective of some groups is.
struct GroupLoad {
  collectives::Kind kind = collectives::Kind::all_reduce;
  const GpuGroups& groups;
  double bytes = 0;
};

/// Collectives of groups of GPUs, run by an engine. Answers are kept by kind, bytes and GPUs.
class GroupRuns {
 public:
  /// The engine must outlive it.
  explicit GroupRuns(const Engine& engine) : engine_(engine) {}

  /// When each group is done, all of them starting at once, and the kinds of links that they cross
  /// (bit topology::LinkKind).
  struct Answer {
    std::vector<Time> done{};
    unsigned link_kinds = 0;
  };
  [[nodiscard]] const Answer& alone(const GroupLoad& load);
  /// The same for several collectives that start at once: by load, then by group.
  [[nodiscard]] const std::vector<std::vector<Time>>& together(std::span<const GroupLoad> loads);
  /// Of groups that all stay inside nodes, those of one node of each pattern and of each odd node.
  [[nodiscard]] GpuGroups without_copies(const GpuGroups& all) const;
  /// How often the executor ran for alone().
  [[nodiscard]] std::size_t runs() const { return known_.size(); }

 private:
  using Asked = std::tuple<collectives::Kind, std::int64_t, std::uint64_t>;
  [[nodiscard]] collectives::Run run(std::span<const GroupLoad> loads) const;

  const Engine& engine_;
  std::map<Asked, Answer> known_;
  std::map<std::vector<Asked>, std::vector<std::vector<Time>>> known_together_;
};

}  // namespace railyard::placement
