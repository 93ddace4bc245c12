#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// How busy the links of a tier are (docs/result-files.md: `tier`, `pod`), for colouring.
struct TierShade {
  std::string tier;        ///< "nvlink", "pcie", "port", "leaf-spine", "spine-core", ...
  std::optional<int> pod;  ///< not set: the whole tier
  double utilisation = 0;  ///< 0..1, the busiest link in either direction
};

struct PictureOptions {
  std::vector<TierShade> shades = {};  ///< none: links are drawn without load
  std::vector<std::string> binding =
      {};                  ///< names of links that must be seen; the first is highlighted
  bool standalone = true;  ///< a file of its own: with namespace, title and style sheet
};

/// The fabric by tiers (core, spine, leaf, nodes with their rails) and, below it, the inside of
/// each kind of node. Pods, switches and nodes that are alike are folded ("pods 2 … 30, 29 alike").
[[nodiscard]] std::string topology_svg(const topology::Cluster& cluster,
                                       const PictureOptions& options = {});

/// The same selection as Graphviz text: a cluster per pod and per node, an edge per cable (parallel
/// cables with their number), labels with bandwidth.
[[nodiscard]] std::string topology_dot(const topology::Cluster& cluster,
                                       const PictureOptions& options = {});

/// The load class of a utilisation: 0 idle (below 1 %), then 1 below 25 %, 2 below 50 %, 3 below 75
/// %, 4 below 95 %, 5 from there on.
[[nodiscard]] int load_class(double utilisation);

}  // namespace railyard::apps
