#pragma once

#include <string>

#include "topology/cluster/cluster.hpp"
#include "topology/picture/picture_options.hpp"

namespace railyard::topology::picture {

/// An SVG of the fabric by tiers (cores, spines, leaves, nodes with their rails) and, below it, of
/// the inside of each kind of node. Equal pods, switches and nodes are folded ("pods 2 … 30, 29
/// alike").
[[nodiscard]] std::string topology_svg(const Cluster& cluster, const PictureOptions& options = {});

/// The same parts as Graphviz text: a subgraph per pod and per node, an edge per pair of devices
/// with the number of parallel cables, and labels with the bandwidth.
[[nodiscard]] std::string topology_dot(const Cluster& cluster, const PictureOptions& options = {});

}  // namespace railyard::topology::picture
