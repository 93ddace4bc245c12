#include <array>
#include <utility>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_builder.hpp"
#include "topology/fabric/fabric_check.hpp"
#include "topology/fabric/fabrics.hpp"

namespace railyard::topology {
namespace {

/// By FabricKind.
constexpr std::array<void (*)(ClusterBuilder&), 8> kGenerators{
    build_single_switch, build_leaf_spine, build_clos3,      build_fat_tree,
    build_rail_clos,     build_rail_only,  build_dual_plane, build_explicit};

void check(const ClusterSpec& spec) {
  Diagnostics problems(spec.file);
  for (const FabricProblem& problem : check_fabric(spec.fabric)) {
    const bool is_pointer = problem.key.starts_with('/');
    problems.add((is_pointer ? "/fabric" : "/fabric/") + problem.key, problem.message,
                 problem.hint);
  }
  problems.throw_if_any();
}

}  // namespace

Cluster build_cluster(ClusterSpec spec) {
  check(spec);
  ClusterBuilder builder(std::move(spec));
  if (!builder.nics().empty()) {
    kGenerators[static_cast<std::size_t>(builder.fabric().kind)](builder);
  } else if (builder.cluster().node_count() > 1) {
    throw InputError(builder.cluster().spec().file, "/node",
                     "several nodes, but none of them has a NIC",
                     "a node without NICs can only be a cluster of one node");
  }
  return std::move(builder).freeze();
}

}  // namespace railyard::topology
