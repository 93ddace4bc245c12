#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/id.hpp"
#include "core/units.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/workload/workload_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// What the links of a tier have to do with the critical path of a run.
struct CriticalTier {
  std::string_view tier;  ///< as in tier_name()
  LinkId link{};          ///< of its links the one that the path waits for longest
  Time bound{};  ///< of the path, during which collectives and messages wait for these links
  /// By how much the path would be shorter if the links of the tier were twice as fast. The run
  /// gets shorter by that at most: another path may then be longer.
  Time saved{};
};

/// What a workload's run (run_workload) puts on links, when, and which links hold it up.
class LinkUsage {
 public:
  /// With what the run was made of; all must outlive it.
  LinkUsage(const topology::Cluster& cluster, const collectives::Workload& workload,
            std::span<const Rank> gpus, const WorkloadOptions& options,
            const collectives::WorkloadRun& run);

  /// Tiers that collectives and messages of the critical path wait for, the one that saves most
  /// first. A collective that moves its bytes from a to b, B(l) of them over link l, waits for the
  /// link with the largest B(l) / C(l). With a faster tier b - a would shrink as its time alone
  /// does:
  ///
  ///     saved = (b - a) (1 - F' / F),    F = max over l of B(l) / C(l)
  ///
  /// (of links in nodes and ports over its share of the rate, and at least what software takes). F'
  /// is F with twice C(l) of the tier. Example: F = 4 ms by an uplink, 2.5 ms by the next tier, and
  /// the collective took 6 ms beside others. Faster uplinks leave max(2, 2.5) / 4 of it: 3.75 ms.
  [[nodiscard]] std::vector<CriticalTier> critical() const;

  /// What links carry in each of `count` equal parts of the run. A collective's bytes are spread
  /// evenly over the time in which it moves them.
  [[nodiscard]] std::vector<std::vector<collectives::LinkLoad>> over_time(std::size_t count) const;

 private:
  /// A load's time behind the latency, seconds: by which link, and with its tier twice as fast.
  struct Flowing {
    double seconds = 0;
    LinkId link{};  ///< none() where software decides
    double with_faster = 0;
  };
  [[nodiscard]] Flowing flowing(std::uint32_t load, float share) const;
  [[nodiscard]] Time latency(std::uint32_t load, float share) const;

  const topology::Cluster& cluster_;
  const collectives::Workload& workload_;
  const collectives::WorkloadRun& run_;
  collectives::Communications communications_;
  std::vector<AloneTime> profiles_;  ///< by load
  std::vector<double> capacities_;   ///< B/s by link
};

}  // namespace railyard::sim
