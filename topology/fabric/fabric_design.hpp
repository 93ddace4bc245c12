#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

class Cluster;

/// What the nodes of a cluster ask of its fabric.
struct FabricDemand {
  int nodes = 0;
  int nics = 0;          ///< of a node
  int rails = 0;         ///< of a node
  int nics_of_rail = 0;  ///< of a node, on one rail
  Bandwidth nic_rate{};
};
/// Of a cluster; the largest where nodes differ.
[[nodiscard]] FabricDemand demand_of(const Cluster& cluster);
/// Of equal nodes.
[[nodiscard]] FabricDemand demand_of(const NodeSpec& node, int nodes);

/// A fabric that is to be designed. The links of all tiers run at the rate of a NIC's port, so a
/// switch has R = ports_at(its model, port rate) ports of them.
struct DesignRequest {
  FabricKind kind = FabricKind::rail_clos;  ///< any but single_switch and explicit_list
  int tiers = 0;                            ///< of rail_clos and dual_plane; 0: the fewest
  FabricDemand demand{};
  std::array<SwitchModel, 3> models{};  ///< of leaves, spines and cores
  double leaf_oversubscription = 1.0;
  double spine_oversubscription = 1.0;
};

/// Ports of one switch that lead down and up.
struct TierDesign {
  std::int64_t switches = 0;  ///< in all planes
  int down = 0, up = 0;
};

/// A fabric that can be built of its switches.
struct FabricDesign {
  FabricSpec fabric{};  ///< the parameters and switches; transport and latencies are defaults
  int planes = 1;
  std::array<TierDesign, 3> tiers{};  ///< leaves, spines, cores; unused tiers have no switches
  std::int64_t nic_links = 0;         ///< NIC to leaf, in all planes
  std::int64_t leaf_links = 0;        ///< leaf to spine
  std::int64_t spine_links = 0;       ///< spine to core
  [[nodiscard]] std::int64_t switches() const {
    return tiers[0].switches + tiers[1].switches + tiers[2].switches;
  }
};

/// The design with the fewest switches, then with the fewest links between switches; nothing if
/// none can be built. With n nodes per unit, d = n * (NICs of a node on a leaf) ports down and
/// u = d / o up, a leaf needs d + u <= R. A spine of two tiers needs a port for each leaf and
/// parallel link; one of three tiers has as many down for the leaves of its pod and 1/o of that up.
/// So with oversubscription 1 the largest fabrics have (docs/models/fabric_design.md)
///   leaf_spine, rail_clos of 2 tiers      R^2/2 NICs
///   clos3, rail_clos of 3 tiers, fat_tree R^3/4 NICs
///   rail_only                             R nodes, where a node has one NIC per rail
///   dual_plane                            as rail_clos with the R of half the NIC's rate
[[nodiscard]] std::optional<FabricDesign> smallest_design(const DesignRequest& request);

/// The largest number of nodes for which there is a design; 0 if there is none.
[[nodiscard]] int most_nodes(const DesignRequest& request);

/// The buildable design whose parameters are nearest to those of `wanted`, which may change the
/// oversubscription: the one with the least sum of |ln(new / wanted)| over nodes per unit, units
/// per pod, spines and cores, oversubscriptions counting four times.
[[nodiscard]] std::optional<FabricDesign> nearest_design(const DesignRequest& request,
                                                         const FabricSpec& wanted);

}  // namespace railyard::topology
