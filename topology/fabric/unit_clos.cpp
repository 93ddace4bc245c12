#include "topology/fabric/unit_clos.hpp"

#include <algorithm>

namespace railyard::topology {
namespace {

/// The port speeds of the switch model of a tier; empty if the model is unknown.
std::span<const PortMode> speeds_of(const FabricSpec& fabric, std::size_t tier) {
  const auto& model = fabric.models[tier];
  return model ? std::span<const PortMode>(model->ports) : std::span<const PortMode>();
}

}  // namespace

std::vector<int> leaves_of_nics(const ClusterBuilder& builder, bool has_rails, int nodes_per_unit) {
  std::vector<int> leaves;
  leaves.reserve(builder.nics().size());
  for (std::size_t nic = 0; nic < builder.nics().size(); ++nic) {
    const NodeId node = builder.cluster().device(builder.nics()[nic]).node;
    const int unit = static_cast<int>(node.value()) / nodes_per_unit;
    leaves.push_back(has_rails ? unit * builder.rails() + builder.nic_rail(nic) : unit);
  }
  return leaves;
}

ClosPlan plan_unit_clos(const ClusterBuilder& builder, const UnitClos& shape) {
  const FabricSpec& fabric = builder.fabric();
  const std::string& file = builder.cluster().spec().file;
  const int nodes = static_cast<int>(builder.cluster().node_count());
  const int nodes_per_unit = fabric.nodes_per_unit.value_or(nodes);
  const int units = (nodes + nodes_per_unit - 1) / nodes_per_unit;
  const int leaves_per_unit = shape.has_rails ? builder.rails() : 1;
  const int units_per_pod = shape.tiers > 2 ? fabric.units_per_pod.value_or(units) : units;

  ClosPlan plan{.planes = shape.planes};
  plan.leaves = units * leaves_per_unit;
  plan.leaves_per_pod = units_per_pod * leaves_per_unit;
  plan.leaf_of_nic = leaves_of_nics(builder, shape.has_rails, nodes_per_unit);
  if (shape.tiers < 2) return plan;

  const Bandwidth port = fabric.port_bandwidth.value_or(builder.fastest_nic() / shape.planes);
  const int ports =
      nodes_per_unit * (shape.has_rails ? builder.most_nics_of_rail() : builder.most_nics());
  plan.leaf_up = plan_uplinks({.down = port * ports,
                               .oversubscription = fabric.leaf_oversubscription,
                               .link = fabric.fabric_bandwidth,
                               .usual_link = port,
                               .speeds = speeds_of(fabric, 0),
                               .switches = fabric.spines_per_pod,
                               .oversubscription_key = "leaf_oversubscription",
                               .switches_key = "spines_per_pod"},
                              file);
  if (shape.tiers < 3) return plan;
  const Bandwidth spine_down =
      plan.leaf_up.bandwidth * (std::int64_t{plan.leaf_up.parallel} * plan.leaves_per_pod);
  plan.spine_up = plan_uplinks({.down = spine_down,
                                .oversubscription = fabric.spine_oversubscription,
                                .link = fabric.fabric_bandwidth,
                                .usual_link = plan.leaf_up.bandwidth,
                                .speeds = speeds_of(fabric, 1),
                                .switches = fabric.cores,
                                .groups = plan.leaf_up.switches,
                                .oversubscription_key = "spine_oversubscription",
                                .switches_key = "cores"},
                               file);
  return plan;
}

}  // namespace railyard::topology
