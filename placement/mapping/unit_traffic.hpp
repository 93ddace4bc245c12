#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/evaluate.hpp"

namespace railyard::placement {

/// The traffic of a mapped job between units. A unit is the ranks that share a node. This does not
/// change when units move between nodes of their kind. Flows between the same two NICs form one
/// edge; if all NICs of a node connect to one leaf (`flat`), flows between the same two units do.
class UnitTraffic {
 public:
  /// Bytes that a unit sends to another in each run of a phase. NICs are numbered within the node
  /// (flat: 0).
  struct Edge {
    std::uint32_t phase = 0;
    std::uint32_t from = 0, to = 0;
    std::uint16_t from_nic = 0, to_nic = 0;
    double bytes = 0;    ///< sum over its flows
    double squares = 0;  ///< sum over its flows of their squared bytes
  };
  /// If flat: `ranks` ranks of a unit. Otherwise: one rank, on the GPU `gpu` of its node.
  struct Member {
    std::uint32_t unit = 0, gpu = 0, ranks = 1;
  };
  /// An all-to-all over several units. If flat, `copies` all-to-alls over the same units.
  struct Exchange {
    std::uint32_t phase = 0;
    double each = 0;  ///< bytes per pair
    double copies = 1;
    std::uint32_t first = 0, last = 0;  ///< range in members
  };

  UnitTraffic(const Tiers& tiers, std::span<const TrafficPhase> phases, const Mapping& mapping,
              bool pxn, bool flat);
  /// The same with each all-to-all as edges, one per pair of ranks on different nodes, by NIC.
  /// Contains only the phases in `is_asked`.
  [[nodiscard]] static UnitTraffic of_pairs(const Tiers& tiers,
                                            std::span<const TrafficPhase> phases,
                                            const std::vector<bool>& is_asked,
                                            const Mapping& mapping, bool pxn);

  [[nodiscard]] bool is_flat() const { return flat_; }
  [[nodiscard]] std::size_t unit_count() const { return unit_nodes_.size(); }
  [[nodiscard]] std::size_t rank_count() const { return unit_of_rank_.size(); }
  /// The node of a unit at the start.
  [[nodiscard]] std::uint32_t node(std::size_t unit) const { return unit_nodes_[unit]; }
  [[nodiscard]] std::span<const std::uint32_t> nodes() const { return unit_nodes_; }
  [[nodiscard]] std::uint32_t unit_of(std::uint32_t rank) const { return unit_of_rank_[rank]; }
  /// GPU of a rank within its node.
  [[nodiscard]] std::uint32_t local_gpu(std::uint32_t rank) const { return local_gpu_[rank]; }
  /// The GPUs of its node that a unit uses.
  [[nodiscard]] std::span<const std::uint32_t> local_gpus(std::size_t unit) const {
    return std::span(gpu_list_).subspan(first_gpu_[unit], first_gpu_[unit + 1] - first_gpu_[unit]);
  }
  /// Edges and exchanges, phase by phase.
  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }
  [[nodiscard]] std::span<const Exchange> exchanges() const { return exchanges_; }
  [[nodiscard]] std::span<const Member> members(const Exchange& exchange) const {
    return std::span(members_).subspan(exchange.first, exchange.last - exchange.first);
  }
  /// Indices of the edges and exchanges of a unit.
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::size_t unit) const {
    return std::span(edge_list_)
        .subspan(first_edge_[unit], first_edge_[unit + 1] - first_edge_[unit]);
  }
  [[nodiscard]] std::span<const std::uint32_t> exchanges_of(std::size_t unit) const {
    return std::span(exchange_list_)
        .subspan(first_exchange_[unit], first_exchange_[unit + 1] - first_exchange_[unit]);
  }
  /// The mapping with each unit on the given node (of the same kind as at the start).
  [[nodiscard]] Mapping mapping(const Tiers& tiers, std::span<const std::uint32_t> nodes) const;

 private:
  class Sink;
  UnitTraffic() = default;
  void find_units(const Tiers& tiers, const Mapping& mapping);
  void list_by_unit();

  bool flat_ = false;
  std::vector<std::uint32_t> unit_nodes_, unit_of_rank_, local_gpu_, gpu_list_, first_gpu_;
  std::vector<Edge> edges_;
  std::vector<Exchange> exchanges_;
  std::vector<Member> members_;
  std::vector<std::uint32_t> edge_list_, exchange_list_, first_edge_, first_exchange_;
};

}  // namespace railyard::placement
