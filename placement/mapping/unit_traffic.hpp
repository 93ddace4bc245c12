#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/evaluate.hpp"

namespace railyard::placement {

/// The traffic of a mapped job between units, a unit being the ranks that share a node: what stays
/// the same when units change places. Ranks are job ranks.
class UnitTraffic {
 public:
  /// One rank sends to one of another unit in each run of a phase.
  struct Edge {
    std::uint32_t phase = 0;
    std::uint32_t from = 0, to = 0;
    double bytes = 0;
  };
  /// An all-to-all over several units.
  struct Exchange {
    std::uint32_t phase = 0;
    double each = 0;
    std::uint32_t first = 0, last = 0;  ///< in members
  };

  UnitTraffic(const Tiers& tiers, std::span<const TrafficPhase> phases, const Mapping& mapping);

  [[nodiscard]] std::size_t unit_count() const { return unit_nodes_.size(); }
  /// The node that a unit starts on.
  [[nodiscard]] std::uint32_t node(std::size_t unit) const { return unit_nodes_[unit]; }
  [[nodiscard]] std::uint32_t unit_of(std::uint32_t rank) const { return unit_of_rank_[rank]; }
  /// GPU of a rank within its node.
  [[nodiscard]] std::uint32_t local_gpu(std::uint32_t rank) const { return local_gpu_[rank]; }
  [[nodiscard]] std::span<const std::uint32_t> ranks(std::size_t unit) const {
    return ranks_[unit];
  }
  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }
  [[nodiscard]] std::span<const Exchange> exchanges() const { return exchanges_; }
  [[nodiscard]] std::span<const std::uint32_t> members(const Exchange& exchange) const {
    return std::span(members_).subspan(exchange.first, exchange.last - exchange.first);
  }
  /// Numbers of the edges and exchanges that touch a unit.
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::size_t unit) const {
    return std::span(edge_list_)
        .subspan(first_edge_[unit], first_edge_[unit + 1] - first_edge_[unit]);
  }
  [[nodiscard]] std::span<const std::uint32_t> exchanges_of(std::size_t unit) const {
    return std::span(exchange_list_)
        .subspan(first_exchange_[unit], first_exchange_[unit + 1] - first_exchange_[unit]);
  }

 private:
  class Sink;
  void find_units(const Tiers& tiers, const Mapping& mapping);
  void list_by_unit();

  std::vector<std::uint32_t> unit_nodes_, unit_of_rank_, local_gpu_;
  std::vector<std::vector<std::uint32_t>> ranks_;
  std::vector<Edge> edges_;
  std::vector<Exchange> exchanges_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> edge_list_, exchange_list_, first_edge_, first_exchange_;
};

}  // namespace railyard::placement
