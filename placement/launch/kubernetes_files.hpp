#pragma once

#include <string>

#include "placement/launch/launch_plan.hpp"
#include "placement/launch/launch_program.hpp"
#include "topology/formats/switch_tree.hpp"

namespace railyard::placement {

/// Files for Kueue's topology-aware scheduling (kueue.x-k8s.io/v1beta2), as YAML: labels for the
/// nodes (as commands in comments), a Topology with one level per tier of switches, a
/// ResourceFlavor, and an indexed Job. The Job must run below the lowest switch that is above all
/// its hosts, and its pods are pinned to the mapped hosts. Kubernetes chooses which pod runs on
/// which of these hosts, so each pod finds its node_rank by its host's name. It starts the ranks of
/// that host with torchrun, or one by one if torchrun cannot express the mapping. `tree`:
/// tree_of_cluster with the host names of `hosts`. Placeholders (queue, image, ...) are listed at
/// the top.
[[nodiscard]] std::string kueue_yaml(const JobHosts& hosts, const topology::SwitchTree& tree,
                                     const LaunchProgram& program);

/// Files for Volcano: a HyperNode (topology.volcano.sh/v1alpha1) per switch, and a Job with the
/// same pods and a hard networkTopology at the lowest tier above all its hosts.
[[nodiscard]] std::string volcano_yaml(const JobHosts& hosts, const topology::SwitchTree& tree,
                                       const LaunchProgram& program);

/// Bash for a pod: finds the number of its host, and starts the ranks of that host.
[[nodiscard]] std::string pod_script(const JobHosts& hosts, const LaunchProgram& program);

}  // namespace railyard::placement
