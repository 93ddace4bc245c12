#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace railyard::hw {

/// Kinds of components that may be sick.
enum class ComponentKind {
  node,    ///< every run of a node
  gpu,     ///< runs that use one GPU of a node
  nic,     ///< runs that use one of the GPUs that share a NIC or a side of a node
  rail,    ///< runs that use one place of a GPU, in whichever node
  leaf,    ///< runs with a node below a leaf switch
  uplink,  ///< runs between the nodes below a leaf switch and others
  cut,     ///< runs between two groups of nodes
  island,  ///< traffic between some ports (one place of a GPU in some nodes) and all others
  path,    ///< runs of one pair of nodes
};
[[nodiscard]] std::string to_text(ComponentKind kind);

/// A set of places of GPUs in a node, a bit each.
using PlaceSet = std::uint64_t;
inline constexpr PlaceSet kEveryPlace = ~PlaceSet{0};

/// The ports that a run uses: places of its GPUs in both nodes, in sets and by rank.
struct RunPorts {
  std::uint32_t node_a = 0, node_b = 0;
  PlaceSet places_a = 0, places_b = 0;  ///< 0: not known
  /// Of the first and the last rank of a node, a bit each.
  PlaceSet first_a = 0, last_a = 0, first_b = 0, last_b = 0;
  bool is_ring = false;  ///< each rank sends to the next one only (send_recv)
};

/// Which ports of two nodes exchange data.
enum class Traffic {
  /// A port sends to the port at the same place of the other node, if the run uses that place in
  /// both nodes: NCCL moves data over NVLink to the GPU at the rail of the destination first (PXN,
  /// the default since NCCL 2.12). A place that only one node uses sends to every place.
  by_rail,
  direct,  ///< every port sends to every port
};

/// Which runs a sick component slows.
enum class Meets {
  use,       ///< runs that use one of its ports
  crossing,  ///< runs with traffic between one of its ports and a port that is not
  pair,      ///< runs between its two nodes
};

/// A component that may be sick: the places `places` of the nodes `nodes`.
struct Hypothesis {
  ComponentKind kind = ComponentKind::node;
  std::string name{};         ///< "node n3", "GPU 1b of n3"
  std::vector<bool> nodes{};  ///< by node
  PlaceSet places = kEveryPlace;
  Meets meets = Meets::use;
  Traffic traffic = Traffic::by_rail;  ///< of crossing ones
  double log_prior = 0;                ///< log of the probability among all hypotheses
};

/// Whether a run is slowed if the component is sick.
[[nodiscard]] bool is_exposed(const Hypothesis& hypothesis, const RunPorts& run);

/// "n1, n2 and 4 others"; with few nodes, all.
[[nodiscard]] std::string node_list(const std::vector<std::string>& names,
                                    const std::vector<bool>& nodes);
/// "1b+43"; "" for every place.
[[nodiscard]] std::string place_list(const std::vector<std::string>& names, PlaceSet places);

}  // namespace railyard::hw
