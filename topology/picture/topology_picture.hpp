#pragma once

#include <string>

#include "topology/cluster/cluster.hpp"
#include "topology/picture/picture_options.hpp"

namespace railyard::topology::picture {

/// The fabric by tiers (core, spine, leaf, nodes with their rails) and, below it, the inside of
/// each kind of node. Pods, switches and nodes that are alike are folded ("pods 2 … 30, 29 alike").
[[nodiscard]] std::string topology_svg(const Cluster& cluster, const PictureOptions& options = {});

/// The same selection as Graphviz text: a cluster per pod and per node, an edge per cable (parallel
/// cables with their number), labels with bandwidth.
[[nodiscard]] std::string topology_dot(const Cluster& cluster, const PictureOptions& options = {});

}  // namespace railyard::topology::picture
