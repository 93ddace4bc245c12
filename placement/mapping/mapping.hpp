#pragma once

#include <span>
#include <utility>
#include <vector>

#include "placement/mapping/rank_grid.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// The GPU of each rank of a job: gpus[job rank] is the number of the GPU in the cluster.
struct Mapping {
  std::vector<Rank> gpus;
  [[nodiscard]] Rank operator[](JobRank rank) const { return gpus[rank.index()]; }
  [[nodiscard]] std::size_t size() const { return gpus.size(); }
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// GPUs by type; with one type, one list. The lists must outlive it.
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
  /// The first counts[type] GPUs of each type.
  [[nodiscard]] GpusByType first(std::span<const std::size_t> counts) const;

 private:
  std::vector<std::span<const Rank>> lists_;
};

/// Maps the ranks, in this order, each to the next GPU of its type. `types` is by rank; empty: all
/// ranks use type 0. Requires at least as many GPUs of each type as ranks.
[[nodiscard]] Mapping map_in_order(std::span<const JobRank> order, const GpusByType& gpus,
                                   std::span<const int> types = {});

/// Throws InputError if a rank uses a GPU that the cluster does not have, or two ranks use one GPU.
void check_mapping(const Mapping& mapping, const topology::Cluster& cluster);

/// The GPUs of these nodes, in their order.
[[nodiscard]] std::vector<Rank> gpus_of_nodes(const topology::Cluster& cluster,
                                              std::span<const NodeId> nodes);

}  // namespace railyard::placement
