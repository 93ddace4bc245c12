#include "topology/fabric/reference_values.hpp"

#include <fmt/format.h>

namespace railyard::topology {
namespace {

// NVIDIA DGX SuperPOD with DGX H100 reference architecture: a scalable unit of 32 nodes on one leaf
// per rail, four of which share spines.
constexpr int kNodesPerUnit = 32;
constexpr int kUnitsPerPod = 4;

bool has_units(FabricKind kind) {
  using enum FabricKind;
  return kind == leaf_spine || kind == clos3 || kind == rail_clos || kind == dual_plane;
}

}  // namespace

RoutingPolicy usual_policy(FabricKind kind, Transport transport) {
  const bool assigns = transport == Transport::infiniband || kind == FabricKind::dual_plane;
  return assigns ? RoutingPolicy::rail : RoutingPolicy::ecmp;
}

int usual_queue_pairs(FabricKind kind) { return kind == FabricKind::dual_plane ? 2 : 1; }

void set_reference_values(FabricSpec& fabric, std::vector<std::string>& notes) {
  // Half of the 600 ns from NIC to NIC (ConnectX-6 datasheet), and the switch latency of the
  // shipped clusters: 200 ns NDR, 600 ns 51.2T Ethernet.
  fabric.port_latency = Time::nanoseconds(300);
  fabric.switch_latency = Time::nanoseconds(fabric.transport == Transport::infiniband ? 200 : 600);
  fabric.routing.policy = usual_policy(fabric.kind, fabric.transport);
  fabric.routing.qps = usual_queue_pairs(fabric.kind);
  if (!has_units(fabric.kind)) return;
  if (!fabric.nodes_per_unit) {
    fabric.nodes_per_unit = kNodesPerUnit;
    notes.push_back(
        fmt::format("assumed: {} nodes share leaf switches (--nodes-per-unit)", kNodesPerUnit));
  }
  const bool has_pods = fabric.kind != FabricKind::leaf_spine && fabric.tiers == 3;
  if (has_pods && !fabric.units_per_pod) {
    fabric.units_per_pod = kUnitsPerPod;
    notes.push_back(fmt::format("assumed: {} leaf groups share spine switches (--units-per-pod)",
                                kUnitsPerPod));
  }
}

}  // namespace railyard::topology
