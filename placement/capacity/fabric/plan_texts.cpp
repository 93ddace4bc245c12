#include "placement/capacity/fabric/plan_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::placement {

using topology::FabricKind;

std::vector<FabricKind> parse_fabric_kinds(const std::string& text, const std::string& flag) {
  std::vector<FabricKind> kinds;
  std::istringstream names(text);
  std::string name;
  while (std::getline(names, name, ',')) {
    const auto kind = core::parse_enum<FabricKind>(name);
    if (!kind.value || *kind.value == FabricKind::explicit_list ||
        *kind.value == FabricKind::single_switch)
      throw InputError("", flag, fmt::format("'{}' is not a fabric that can be designed", name),
                       "leaf_spine, clos3, fat_tree, rail_clos, rail_only or dual_plane");
    if (std::ranges::find(kinds, *kind.value) == kinds.end()) kinds.push_back(*kind.value);
  }
  if (kinds.empty()) throw InputError("", flag, "does not list a fabric", "rail_clos,leaf_spine");
  return kinds;
}

Strategy parse_plan_strategy(const std::string& text, const FabricPlanRequest& request) {
  // All GPUs on one switch: any fabric gives the same strategy.
  topology::ClusterSpec spec;
  spec.name = spec.node = request.node.name;
  const int per_node = topology::NodeShape(request.node).gpu_count();
  spec.nodes = (request.gpus + per_node - 1) / per_node;
  spec.node_specs = {request.node};
  spec.node_counts = {spec.nodes};
  const PlaceProblem problem =
      problem_on(topology::build_cluster(std::move(spec)), *request.job, request.gpus);
  return read_given({.fix = text}, problem).strategy->strategy;
}

}  // namespace railyard::placement
