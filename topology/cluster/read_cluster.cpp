#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/fabric/read_switch_model.hpp"
#include "topology/fabric/reference_values.hpp"

namespace railyard::topology {
namespace {

/// Reads the nodes of every group and collects the problems of all of them.
void read_nodes(ClusterSpec& spec, std::vector<Diagnostic>& problems) {
  std::vector<NodeGroup> groups = spec.groups;
  if (groups.empty()) groups.push_back({.node = spec.node, .count = spec.nodes});
  for (const NodeGroup& group : groups) {
    try {
      spec.node_specs.push_back(read_node(group.node, spec.file));
      spec.node_counts.push_back(group.count);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
}

/// Changes the number of nodes and keeps the proportions of the groups: the total of the first k
/// groups is scaled and rounded half up, for each k. Groups left with 0 nodes are removed.
void override_count(ClusterSpec& spec, int nodes) {
  if (nodes < 1) throw InputError("", "--nodes", fmt::format("must be at least 1, not {}", nodes));
  int listed = spec.groups.empty() ? spec.nodes : 0;
  for (const NodeGroup& group : spec.groups) listed += group.count;
  if (spec.fabric.kind == FabricKind::explicit_list && nodes > listed)
    throw InputError("", "--nodes",
                     fmt::format("{} lists the cables of only {} nodes; {} would have none",
                                 spec.file, listed, nodes - listed),
                     fmt::format("use at most {}", listed));
  if (spec.groups.empty()) {
    spec.nodes = nodes;
    return;
  }
  std::int64_t all = 0, before = 0, given = 0;
  for (const NodeGroup& group : spec.groups) all += group.count;
  for (NodeGroup& group : spec.groups) {
    before += group.count;
    const std::int64_t upto = (2 * before * nodes + all) / (2 * all);
    group.count = static_cast<int>(upto - given);
    given = upto;
  }
  std::erase_if(spec.groups, [](const NodeGroup& group) { return group.count == 0; });
}

/// Reports an error if a fabric that describes one dragonfly group has more nodes than that group:
/// it has no links to other groups.
void check_dragonfly(const ClusterFile& file, std::optional<int> asked,
                     std::vector<Diagnostic>& problems) {
  int nodes = file.groups.empty() ? file.nodes : 0;
  for (const NodeGroup& group : file.groups) nodes += group.count;
  if (!file.dragonfly_group || nodes <= *file.dragonfly_group) return;
  problems.push_back(
      {.file = asked ? "" : file.file,
       .pointer = asked ? "--nodes" : "/nodes",
       .message = fmt::format("{} describes one group of a dragonfly, {} nodes; links "
                              "between groups are not modelled",
                              file.name, *file.dragonfly_group),
       .hint = fmt::format("use at most {}", *file.dragonfly_group)});
}

/// Sets the routing parameters that the file does not give to the defaults of the fabric.
void set_usual_routing(const core::ConfigNode& file, FabricSpec& fabric) {
  const auto find = [](const std::optional<core::ConfigNode>& node, std::string_view key) {
    return node ? node->find(key) : std::nullopt;
  };
  const auto routing = find(file.find("fabric"), "routing");
  if (!find(routing, "policy")) fabric.routing.policy = usual_policy(fabric.kind, fabric.transport);
  if (!find(routing, "qps")) fabric.routing.qps = usual_queue_pairs(fabric.kind);
}

}  // namespace

ClusterSpec read_cluster(const std::string& reference, std::optional<int> nodes) {
  const auto path = core::resolve_config(reference, "clusters");
  ClusterFile spec;
  std::vector<Diagnostic> problems;
  try {
    const core::ConfigNode file = core::ConfigNode::read(path);
    core::read_config(file, spec);
    set_usual_routing(file, spec.fabric);
  } catch (const InputError& error) {
    problems.assign(error.diagnostics().begin(), error.diagnostics().end());
  }
  spec.file = path.string();
  if (nodes) override_count(spec, *nodes);
  check_dragonfly(spec, nodes, problems);
  if (!spec.node.empty() || !spec.groups.empty()) read_nodes(spec, problems);
  read_switch_models(spec.fabric, spec.file, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return static_cast<ClusterSpec&&>(spec);
}

}  // namespace railyard::topology
