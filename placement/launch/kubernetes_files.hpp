#pragma once

#include <string>

#include "placement/launch/launch_plan.hpp"
#include "placement/launch/launch_program.hpp"
#include "topology/formats/switch_tree.hpp"

namespace railyard::placement {

/// Kueue's topology-aware scheduling (kueue.x-k8s.io/v1beta2): labels for the nodes, a Topology
/// with a level per tier of switches, a ResourceFlavor, and an indexed Job that is required below
/// the lowest switch that holds all its hosts, its pods pinned to the mapped hosts. Kubernetes
/// chooses which pod runs on which of them: each pod finds its node_rank by the name of its host
/// and starts the ranks of that host, by torchrun, or one by one where torchrun cannot express the
/// mapping. `tree` is tree_of_cluster with hosts named as in `hosts`. YAML; the labels are commands
/// in comments, and what has to be filled in (queue, image, ...) is listed at the top.
[[nodiscard]] std::string kueue_yaml(const JobHosts& hosts, const topology::SwitchTree& tree,
                                     const LaunchProgram& program);

/// Volcano: a HyperNode (topology.volcano.sh/v1alpha1) per switch, and a Job with networkTopology
/// hard at the lowest tier that holds all its hosts, with the same pods.
[[nodiscard]] std::string volcano_yaml(const JobHosts& hosts, const topology::SwitchTree& tree,
                                       const LaunchProgram& program);

/// Bash that a pod runs: it finds the number of its host, and starts the ranks of that host.
[[nodiscard]] std::string pod_script(const JobHosts& hosts, const LaunchProgram& program);

}  // namespace railyard::placement
