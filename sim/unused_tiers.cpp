#include "sim/unused_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topology/cluster/device.hpp"

namespace railyard::sim {
namespace {

using topology::Link;

/// Totals of the links from one tier up to the next; index 0 is from NICs to leaves.
struct UplinkLoad {
  double capacity = 0;  ///< bytes per second
  double bytes = 0;
  double busiest = 0;  ///< of one link in either direction: seconds at its full rate
};

/// The lower of the two tiers that a fabric link connects; -1 for links in nodes.
int tier_below(const topology::Cluster& cluster, const Link& link) {
  if (link.kind < topology::LinkKind::port) return -1;
  return std::min(tier(cluster.device(link.from).kind), tier(cluster.device(link.to).kind));
}

bool leads_up(const topology::Cluster& cluster, const Link& link) {
  return tier(cluster.device(link.from).kind) < tier(cluster.device(link.to).kind);
}

}  // namespace

std::vector<std::string> notes_on_unused_tiers(const topology::Cluster& cluster,
                                               const collectives::Run& run) {
  std::vector<std::string> notes;
  if (run.link_loads.empty()) return notes;
  std::array<UplinkLoad, 3> up;
  for (const Link& link : cluster.links()) {
    const int below = tier_below(cluster, link);
    if (below >= 0 && leads_up(cluster, link))
      up[static_cast<std::size_t>(below)].capacity += link.bandwidth.bytes_per_second();
  }
  for (const collectives::LinkLoad& load : run.link_loads) {
    const Link& link = cluster.link(load.link);
    const int below = tier_below(cluster, link);
    if (below < 0) continue;
    UplinkLoad& its = up[static_cast<std::size_t>(below)];
    if (leads_up(cluster, link)) its.bytes += load.bytes;
    its.busiest = std::max(its.busiest, load.bytes / link.bandwidth.bytes_per_second());
  }
  constexpr std::array kNames{"leaf", "spine"};
  for (std::size_t tier = 0; tier < kNames.size(); ++tier) {
    const UplinkLoad &from_below = up[tier], &further = up[tier + 1];
    if (from_below.bytes <= 0 || further.capacity <= 0) continue;
    const double oversubscription = from_below.capacity / further.capacity;
    const double share = further.bytes / from_below.bytes;
    if (oversubscription <= 1.001 || share * oversubscription >= 1) continue;
    // Little traffic, but hashed onto few links: these may limit the result.
    if (further.busiest > 1.001 * from_below.busiest) continue;
    notes.push_back(fmt::format(
        "{} of the traffic crosses the links above the {} switches. They are oversubscribed "
        "{:.3g}:1, but the result does not depend on it (neighbouring ranks share switches; "
        "--rank-order random places them as a busy scheduler would)",
        share > 0 ? fmt::format("only {:.2g} %", 100 * share) : "none", kNames[tier],
        oversubscription));
  }
  return notes;
}

}  // namespace railyard::sim
