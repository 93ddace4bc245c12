#pragma once

#include <string>
#include <vector>

#include "placement/jobs/occupancy.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// The source of a list of nodes or GPUs, for errors about it.
struct ListOrigin {
  std::string where{};
  std::string hint = "write it as '0-3,9'";
};

/// An occupancy from nodes as "0-3,node9", or from a JSON file (railyard schema occupancy). Throws
/// InputError with every problem of the file.
[[nodiscard]] Occupancy read_occupancy(const std::string& text);

/// The GPUs of listed nodes and the listed GPUs, by rank. Throws InputError for nodes and GPUs that
/// the cluster does not contain.
[[nodiscard]] std::vector<Rank> gpus_of(const topology::Cluster& cluster, const std::string& nodes,
                                        const std::string& gpus, const ListOrigin& origin = {});

/// By rank: whether the GPU is in use. Throws InputError if two jobs share a GPU.
[[nodiscard]] std::vector<bool> taken_gpus(const topology::Cluster& cluster,
                                           const Occupancy& occupancy,
                                           const ListOrigin& origin = {});

}  // namespace railyard::placement
