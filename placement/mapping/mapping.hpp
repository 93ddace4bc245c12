#pragma once

#include <span>
#include <vector>

#include "placement/mapping/rank_grid.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Which GPU each rank of a job sits on: gpus[job rank] is the GPU's number in the cluster.
struct Mapping {
  std::vector<Rank> gpus;
  [[nodiscard]] Rank operator[](JobRank rank) const { return gpus[rank.index()]; }
  [[nodiscard]] std::size_t size() const { return gpus.size(); }
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// Rank order[i] on GPU gpus[i]. Requires as many GPUs as ranks.
[[nodiscard]] Mapping map_in_order(std::span<const JobRank> order, std::span<const Rank> gpus);

/// Throws InputError when a rank sits on a GPU that the cluster does not have, or two on one.
void check_mapping(const Mapping& mapping, const topology::Cluster& cluster);

/// The GPUs of nodes, in their order.
[[nodiscard]] std::vector<Rank> gpus_of_nodes(const topology::Cluster& cluster,
                                              std::span<const NodeId> nodes);

}  // namespace railyard::placement
