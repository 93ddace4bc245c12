#include "sim/unused_tiers.hpp"

#include <fmt/format.h>

#include <array>

#include "topology/cluster/device.hpp"

namespace railyard::sim {
namespace {

using topology::Link;

/// Of the links from one tier up to the next; 0 is from NICs to leaves.
struct Upward {
  double capacity = 0;  ///< bytes per second
  double bytes = 0;
};

/// The tier that a link leads up from; -1 for all other links.
int tier_below(const topology::Cluster& cluster, const Link& link) {
  if (link.kind < topology::LinkKind::port) return -1;
  const int from = tier(cluster.device(link.from).kind);
  return from < tier(cluster.device(link.to).kind) ? from : -1;
}

}  // namespace

std::vector<std::string> notes_on_unused_tiers(const topology::Cluster& cluster,
                                               const collectives::Run& run) {
  std::vector<std::string> notes;
  if (run.link_loads.empty()) return notes;
  std::array<Upward, 3> up;
  for (const Link& link : cluster.links()) {
    const int below = tier_below(cluster, link);
    if (below >= 0)
      up[static_cast<std::size_t>(below)].capacity += link.bandwidth.bytes_per_second();
  }
  for (const collectives::LinkLoad& load : run.link_loads) {
    const int below = tier_below(cluster, cluster.link(load.link));
    if (below >= 0) up[static_cast<std::size_t>(below)].bytes += load.bytes;
  }
  constexpr std::array kNames{"leaf", "spine"};
  for (std::size_t tier = 0; tier < kNames.size(); ++tier) {
    const Upward &from_below = up[tier], &further = up[tier + 1];
    if (from_below.bytes <= 0 || further.capacity <= 0) continue;
    const double oversubscription = from_below.capacity / further.capacity;
    const double share = further.bytes / from_below.bytes;
    if (oversubscription <= 1.001 || share * oversubscription >= 1) continue;
    notes.push_back(fmt::format(
        "{} of the traffic goes above the {} switches, which are {:.3g}:1 "
        "oversubscribed: the result does not depend on that oversubscription (neighbouring ranks "
        "share switches; --rank-order random places them as a busy scheduler would)",
        share > 0 ? fmt::format("only {:.2g} %", 100 * share) : "nothing", kNames[tier],
        oversubscription));
  }
  return notes;
}

}  // namespace railyard::sim
