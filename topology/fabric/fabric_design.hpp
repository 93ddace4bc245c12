#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

class Cluster;

/// What the nodes of a cluster require of its fabric.
struct FabricDemand {
  int nodes = 0;
  int nics = 0;          ///< per node
  int rails = 0;         ///< per node
  int nics_of_rail = 0;  ///< per node and rail
  Bandwidth nic_rate{};
};
/// The demand of a cluster; where nodes differ, the largest value of each field.
[[nodiscard]] FabricDemand demand_of(const Cluster& cluster);
/// The demand of equal nodes.
[[nodiscard]] FabricDemand demand_of(const NodeSpec& node, int nodes);

/// A request to design a fabric. The links of all tiers run at the rate of a NIC port, so a switch
/// has R = ports_at(model, port rate) usable ports.
struct DesignRequest {
  FabricKind kind = FabricKind::rail_clos;  ///< any but single_switch and explicit_list
  int tiers = 0;                            ///< rail_clos and dual_plane; 0: as few as possible
  FabricDemand demand{};
  std::array<SwitchModel, 3> models{};  ///< switch models of leaves, spines and cores
  double leaf_oversubscription = 1.0;
  double spine_oversubscription = 1.0;
};

/// The switches of one tier, and the ports of each that lead down and up.
struct TierDesign {
  std::int64_t switches = 0;  ///< total of all planes
  int down = 0, up = 0;
};

/// A fabric that the requested switches can build.
struct FabricDesign {
  FabricSpec fabric{};  ///< parameters and switch models; transport and latencies are defaults
  int planes = 1;
  std::array<TierDesign, 3> tiers{};  ///< leaves, spines, cores; `switches` is 0 for unused tiers
  std::int64_t nic_links = 0;         ///< NIC to leaf, total of all planes
  std::int64_t leaf_links = 0;        ///< leaf to spine, total of all planes
  std::int64_t spine_links = 0;       ///< spine to core, total of all planes
  [[nodiscard]] std::int64_t switches() const {
    return tiers[0].switches + tiers[1].switches + tiers[2].switches;
  }
};

/// The design with the fewest switches, and among those with the fewest links between switches;
/// nothing if no design exists. Let o be the oversubscription. With n nodes per unit, a leaf has d
/// = n * (NICs of a node on that leaf) downlinks and u = d / o uplinks, and needs d + u <= R. In a
/// two-tier fabric a spine needs one port per leaf and parallel link. In a three-tier fabric it
/// needs that many ports for the leaves of its pod, and 1/o of that number for uplinks. With
/// oversubscription 1 the largest fabrics have (docs/models/fabric_design.md)
///   leaf_spine, rail_clos of 2 tiers      R^2/2 NICs
///   clos3, rail_clos of 3 tiers, fat_tree R^3/4 NICs
///   rail_only                             R nodes, where a node has one NIC per rail
///   dual_plane                            as rail_clos with the R of half the NIC's rate
[[nodiscard]] std::optional<FabricDesign> smallest_design(const DesignRequest& request);

/// The largest number of nodes (at most 2^20) for which a design exists; 0 if there is none.
[[nodiscard]] int most_nodes(const DesignRequest& request);

/// The buildable design with parameters closest to those of `wanted`; its oversubscription may
/// differ. Distance: the sum of |ln(new / wanted)| over nodes per unit, units per pod, spines and
/// cores, plus four times that of the oversubscriptions. The nodes per unit and units per pod of
/// `wanted` are kept if any design has them.
[[nodiscard]] std::optional<FabricDesign> nearest_design(const DesignRequest& request,
                                                         const FabricSpec& wanted);

}  // namespace railyard::topology
