#pragma once

#include <span>
#include <utility>
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

/// GPUs by type; of a cluster of one type one list. The lists must outlive it.
class GpusByType {
 public:
  GpusByType() = default;
  GpusByType(std::span<const Rank> only) : lists_{only} {}
  GpusByType(const std::vector<Rank>& only) : lists_{only} {}
  GpusByType(const std::vector<std::vector<Rank>>& lists) : lists_(lists.begin(), lists.end()) {}
  explicit GpusByType(std::vector<std::span<const Rank>> lists) : lists_(std::move(lists)) {}

  [[nodiscard]] std::size_t size() const { return lists_.size(); }
  [[nodiscard]] std::span<const Rank> operator[](std::size_t type) const { return lists_[type]; }
  /// The GPUs of all types in one list.
  [[nodiscard]] std::vector<Rank> joined() const;
  /// The first GPUs of each type: counts[type] of them.
  [[nodiscard]] GpusByType first(std::span<const std::size_t> counts) const;

 private:
  std::vector<std::span<const Rank>> lists_;
};

/// Each rank on the next GPU of its type, in this order of the ranks. `types` by rank; empty: all
/// ranks are on type 0. Requires as many GPUs of each type as it has ranks.
[[nodiscard]] Mapping map_in_order(std::span<const JobRank> order, const GpusByType& gpus,
                                   std::span<const int> types = {});

/// Throws InputError when a rank sits on a GPU that the cluster does not have, or two on one.
void check_mapping(const Mapping& mapping, const topology::Cluster& cluster);

/// The GPUs of nodes, in their order.
[[nodiscard]] std::vector<Rank> gpus_of_nodes(const topology::Cluster& cluster,
                                              std::span<const NodeId> nodes);

}  // namespace railyard::placement
