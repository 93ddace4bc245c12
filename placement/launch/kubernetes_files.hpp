#pragma once

#include <string>

#include "placement/launch/launch_plan.hpp"
#include "topology/formats/switch_tree.hpp"

namespace railyard::placement {

/// What a cluster file does not say about a job on Kubernetes.
struct KubernetesJob {
  std::string name = "railyard-job";
  std::string image = "IMAGE";
  std::string command = "COMMAND";  ///< shell; may have several lines
};

/// Kueue's topology-aware scheduling (kueue.x-k8s.io/v1beta2): labels for the nodes, a Topology
/// with a level per tier of switches, a ResourceFlavor, and an indexed Job that is required below
/// the lowest switch that holds all its hosts, its pods pinned to the mapped hosts. Which pod goes
/// to which of them is Kubernetes' choice: each sets NODE_RANK by the name of its host. `tree` is
/// tree_of_cluster with hosts named as in `hosts`. YAML; the labels are commands in comments.
[[nodiscard]] std::string kueue_yaml(const JobHosts& hosts, const topology::SwitchTree& tree,
                                     const KubernetesJob& job);

/// Volcano: a HyperNode (topology.volcano.sh/v1alpha1) per switch, and a Job with networkTopology
/// hard at the lowest tier that holds all its hosts.
[[nodiscard]] std::string volcano_yaml(const JobHosts& hosts, const topology::SwitchTree& tree,
                                       const KubernetesJob& job);

}  // namespace railyard::placement
