#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/diagnose/hypothesis.hpp"
#include "hw/diagnose/pair_run.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::hw {

/// GPUs of a node that share a NIC, or a side of the node.
struct PlaceGroup {
  std::string name{};  ///< "NIC 2", "GPUs 1b+43"
  PlaceSet places = 0;
};

/// Ports below one leaf switch: a place of a GPU, or every one, in some nodes.
struct LeafGroup {
  std::string name{};         ///< "leaf 3"
  std::vector<bool> nodes{};  ///< by node
  PlaceSet places = kEveryPlace;
};

/// Facts about the cluster that the tests do not contain. Places and nodes have the order of
/// Samples.
struct ClusterView {
  std::vector<PlaceGroup> groups{};
  std::vector<LeafGroup> leaves{};
  bool is_known = false;  ///< from a description of the cluster; false: groups are guessed
};

/// The groups that are assumed without a cluster file: neighbours in the order of the places (by
/// twos), and halves, which are usually the two sockets of a node.
[[nodiscard]] std::vector<PlaceGroup> assumed_groups(const std::vector<std::string>& places);

/// NICs and leaf switches of a cluster, for the nodes and GPU places in tests. The n-th node by
/// name is node n of the cluster; the p-th place is GPU p of its nodes. Throws InputError at
/// --cluster if there are more nodes or places than the cluster has.
[[nodiscard]] ClusterView cluster_view(const topology::Cluster& cluster,
                                       const std::vector<std::string>& nodes,
                                       const std::vector<std::string>& places);

}  // namespace railyard::hw
