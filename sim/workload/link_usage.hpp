#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/id.hpp"
#include "core/units.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/link_report.hpp"
#include "sim/workload/workload_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The effect of the links of a tier on the critical path of a run.
struct CriticalTier {
  std::string_view tier;  ///< as in tier_name()
  LinkId link{};          ///< the link of the tier that the path waits for longest
  Time bound{};           ///< part of the path in which these links limit collectives and messages
  /// Reduction of the path with twice the capacity on all links of the tier. An upper bound for the
  /// reduction of the run, because another path may then be longer.
  Time saved{};
};

/// The link traffic of a workload's run (run_workload) over time, and the links that limit it.
class LinkUsage {
 public:
  /// The arguments are those of the run; all must outlive it.
  LinkUsage(const topology::Cluster& cluster, const collectives::Workload& workload,
            std::span<const Rank> gpus, const WorkloadOptions& options,
            const collectives::WorkloadRun& run);

  /// Tiers that limit collectives and messages of the critical path, by decreasing `saved`. A
  /// collective that moves bytes from time a to b, B(l) of them over link l, is limited by the link
  /// with the largest B(l) / C(l). With a faster tier, b - a is assumed to shrink like its time
  /// alone:
  ///
  ///     saved = (b - a) (1 - F' / F),    F = max over l of B(l) / C(l)
  ///
  /// For links in nodes and ports, B(l) / C(l) is divided by the share of the rate; F is at least
  /// the software time. F' is F with twice C(l) of the tier. Example: F = 4 ms for an uplink, 2.5
  /// ms for the next tier, and the collective took 6 ms with concurrent traffic. Faster uplinks
  /// reduce this to 6 ms max(2, 2.5) / 4 = 3.75 ms.
  [[nodiscard]] std::vector<CriticalTier> critical() const;

  /// The link loads in each of `count` equal parts of the run. The bytes of a collective are spread
  /// evenly over the time in which it moves them.
  [[nodiscard]] std::vector<std::vector<collectives::LinkLoad>> over_time(std::size_t count) const;

 private:
  /// The time of a load after its latency in seconds, the link that limits it, and the time with
  /// twice the capacity on the tier of that link.
  struct TransferTime {
    double seconds = 0;
    LinkId link{};  ///< none(): limited by software
    double with_faster = 0;
  };
  [[nodiscard]] TransferTime transfer_time(std::uint32_t load, float share) const;
  [[nodiscard]] Time latency(std::uint32_t load, float share) const;

  const topology::Cluster& cluster_;
  const collectives::Workload& workload_;
  const collectives::WorkloadRun& run_;
  collectives::Communications communications_;
  std::vector<IsolatedTime> profiles_;  ///< by load
  std::vector<double> capacities_;      ///< B/s by link
};

/// The load of the links of a tier in a part of a run.
struct TierUsage {
  Time begin{}, end{};
  TierLoad load{};  ///< over that part
};
/// The loads of whole tiers (not by pod) in each of `count` equal parts of a run of length `total`.
[[nodiscard]] std::vector<TierUsage> tier_usage(const topology::Cluster& cluster,
                                                const LinkUsage& usage, Time total,
                                                std::size_t count);

}  // namespace railyard::sim
