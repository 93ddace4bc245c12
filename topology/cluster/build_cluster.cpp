#include <utility>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_builder.hpp"
#include "topology/fabric/fabric_check.hpp"
#include "topology/fabric/fabrics.hpp"

namespace railyard::topology {
namespace {

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
    build_fabric(builder);
  } else if (builder.cluster().node_count() > 1) {
    throw InputError(builder.cluster().spec().file, "/node",
                     "several nodes, but none of them has a NIC",
                     "add NICs to the node, or use --nodes 1");
  }
  return std::move(builder).freeze();
}

}  // namespace railyard::topology
