#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_builder.hpp"

namespace railyard::topology {

/// The way up from a switch: `switches` above it, `parallel` links to each.
struct Uplinks {
  int switches = 0;
  int parallel = 1;
  Bandwidth bandwidth{};
};

/// A Clos fabric of one, two or three tiers, the same in each of its planes. Leaf l (counted
/// through the fabric) belongs to pod l / leaves_per_pod; every leaf of a pod joins every spine of
/// the pod; spine i of every pod joins the cores of group i, which are cores i*g .. i*g+g-1.
struct ClosPlan {
  int planes = 1;                  ///< ports per NIC, which share its rate evenly
  std::vector<int> leaf_of_nic{};  ///< by number of the NIC in the cluster
  int leaves = 0;                  ///< in a plane
  int leaves_per_pod = 0;
  Uplinks leaf_up{};   ///< to the spines of the pod; 0 switches: one tier
  Uplinks spine_up{};  ///< to the cores of a group (g of them); 0 switches: two tiers
};

/// Adds the switches (plane by plane: leaves and spines pod by pod, then cores) and all links.
/// Spines are left out where there is but one leaf, cores where there is but one pod.
void wire_clos(ClusterBuilder& builder, const ClosPlan& plan);

/// What the uplinks of one tier must carry, and what the cluster file says about them.
struct UplinkRequest {
  Bandwidth down{};  ///< all ports of the switch that lead down
  double oversubscription = 1.0;
  std::optional<Bandwidth> link{};     ///< of one uplink, where it is given
  Bandwidth usual_link{};              ///< where it is not: this, if the count comes out
  std::span<const PortMode> speeds{};  ///< of the switch's ports, where its model is known
  std::optional<int> switches{};       ///< above this one, where it is given
  int groups = 1;                      ///< `switches` counts this many groups (cores of all spines)
  std::string_view oversubscription_key, switches_key;  ///< for errors
};

/// The uplinks that make the oversubscription exact: n = down / (oversubscription x link). A given
/// link bandwidth and a given number of switches are kept (n must then be whole and a multiple of
/// the number); otherwise the usual link is taken if the numbers come out. If they do not, a switch
/// whose speeds are known takes the slowest of them with which they do, and there is an error if
/// none does; for other switches as many links as needed of just the bandwidth that is needed.
/// Throws InputError naming the key and what would fit.
[[nodiscard]] Uplinks plan_uplinks(const UplinkRequest& request, const std::string& file);

}  // namespace railyard::topology
