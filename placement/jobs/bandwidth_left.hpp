#pragma once

#include <optional>
#include <span>
#include <vector>

#include "placement/jobs/place_problem.hpp"
#include "placement/mapping/evaluate.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::placement {

/// Bandwidth that other jobs leave. Empty if they send nothing.
struct BandwidthLeft {
  std::vector<double> of_trunks{};  ///< bytes per second, by trunk
  std::vector<double> of_links{};   ///< fraction from 0 to 1, by link

  /// The links that other jobs use, as degradations to the remaining bandwidth.
  [[nodiscard]] std::vector<topology::Degradation> used_links() const;
};

/// Bandwidth left by the traffic of `occupancy` and `other_traffic` (available_bandwidth()).
[[nodiscard]] BandwidthLeft bandwidth_left(const PlaceProblem& problem, const Tiers& tiers);
/// used_links() of bandwidth_left(); empty if no other job runs.
[[nodiscard]] std::vector<topology::Degradation> links_used_by_others(const PlaceProblem& problem);

/// The used link with the least bandwidth left among those that the job may cross: links between
/// switches, and links inside nodes with a free GPU.
[[nodiscard]] std::optional<topology::Degradation> busiest_shared_link(
    const PlaceProblem& problem, std::span<const topology::Degradation> used);

}  // namespace railyard::placement
