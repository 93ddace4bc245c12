#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/fabric/read_switch_model.hpp"

namespace railyard::topology {
namespace {

/// Reads the nodes of every group; problems of all of them are collected.
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

/// Groups keep their shares: those of the first k together are rounded, half up. Some may go.
void override_count(ClusterSpec& spec, int nodes) {
  if (nodes < 1) throw InputError("", "--nodes", fmt::format("must be at least 1, not {}", nodes));
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

}  // namespace

ClusterSpec read_cluster(const std::string& reference, std::optional<int> nodes) {
  const auto path = core::resolve_config(reference, "clusters");
  ClusterFile spec;
  std::vector<Diagnostic> problems;
  try {
    core::read_config(core::ConfigNode::read(path), spec);
  } catch (const InputError& error) {
    problems.assign(error.diagnostics().begin(), error.diagnostics().end());
  }
  spec.file = path.string();
  if (nodes) override_count(spec, *nodes);
  if (!spec.node.empty() || !spec.groups.empty()) read_nodes(spec, problems);
  read_switch_models(spec.fabric, spec.file, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return static_cast<ClusterSpec&&>(spec);
}

}  // namespace railyard::topology
