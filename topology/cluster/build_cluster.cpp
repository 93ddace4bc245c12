#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_builder.hpp"
#include "topology/cluster/lost_nics.hpp"
#include "topology/fabric/fabric_check.hpp"
#include "topology/fabric/fabrics.hpp"

namespace railyard::topology {
namespace {

/// Cables are listed, so a file is not larger than they are, whatever --nodes asks for.
void check_cabled_nodes(const ClusterSpec& spec, Diagnostics& problems) {
  std::int64_t cabled = 0, nodes = 0;
  for (const CableSpec& cable : spec.fabric.cables)
    for (const std::string& end : {cable.a, cable.b})
      if (const auto nic = parse_nic(end)) cabled = std::max<std::int64_t>(cabled, nic->node + 1);
  for (const int count : spec.node_counts) nodes += count;
  if (cabled > 0 && nodes > cabled)
    problems.add("/nodes",
                 fmt::format("must be at most {}, the nodes that its cables connect, not {}",
                             cabled, nodes));
}

void check(const ClusterSpec& spec) {
  Diagnostics problems(spec.file);
  for (const FabricProblem& problem : check_fabric(spec.fabric)) {
    const bool is_pointer = problem.key.starts_with('/');
    problems.add((is_pointer ? "/fabric" : "/fabric/") + problem.key, problem.message,
                 problem.hint);
  }
  if (spec.fabric.kind == FabricKind::explicit_list) check_cabled_nodes(spec, problems);
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
                     "a node without NICs can only be a cluster of one node");
  }
  return std::move(builder).freeze();
}

}  // namespace railyard::topology
