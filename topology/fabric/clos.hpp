#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_builder.hpp"

namespace railyard::topology {

/// The uplinks of a switch: `switches` switches above it, with `parallel` links to each, of
/// `bandwidth` per link.
struct Uplinks {
  int switches = 0;
  int parallel = 1;
  Bandwidth bandwidth{};
};

/// A Clos fabric of one, two or three tiers with identical planes. Leaf l (numbered across the
/// fabric) belongs to pod l / leaves_per_pod. Every leaf of a pod connects to every spine of the
/// pod. Spine i of every pod connects to the g cores i*g .. i*g+g-1.
struct ClosPlan {
  int planes = 1;  ///< ports per NIC, which share its rate equally
  /// Leaf number of each NIC, in the order of ClusterBuilder::nics().
  std::vector<int> leaf_of_nic{};
  int leaves = 0;  ///< per plane
  int leaves_per_pod = 0;
  Uplinks leaf_up{};   ///< to the spines of the pod; 0 switches: one tier
  Uplinks spine_up{};  ///< to the g cores of a spine; 0 switches: two tiers
};

/// Adds the switches (plane by plane: leaves and spines pod by pod, then cores) and all links.
/// There are no spines if there is only one leaf, and no cores if there is only one pod.
void wire_clos(ClusterBuilder& builder, const ClosPlan& plan);

/// Requirements on the uplinks of a switch of one tier, partly given by the cluster file.
struct UplinkRequest {
  Bandwidth down{};  ///< total bandwidth of the downlinks of the switch
  double oversubscription = 1.0;
  std::optional<Bandwidth> link{};     ///< bandwidth of one uplink, if the file gives it
  Bandwidth usual_link{};              ///< if not: preferred uplink bandwidth
  std::span<const PortMode> speeds{};  ///< port speeds of the switch, if its model is known
  std::optional<int> switches{};       ///< number of switches above, if the file gives it
  int groups = 1;  ///< `switches` is the total over this many groups (cores over all spines)
  std::string_view oversubscription_key, switches_key;  ///< keys of the cluster file, for errors
};

/// Plans uplinks that meet the oversubscription exactly: n = down / (oversubscription x link). A
/// given link bandwidth and a given number of switches are kept; then n must be an integer and a
/// multiple of that number. Without a given link bandwidth, usual_link is used if n is valid. If
/// not, a switch with known speeds uses the slowest speed with a valid n, and it is an error if no
/// speed has one. A switch with unknown speeds gets links of exactly the bandwidth needed. Throws
/// InputError with the key and valid values.
[[nodiscard]] Uplinks plan_uplinks(const UplinkRequest& request, const std::string& file);

}  // namespace railyard::topology
