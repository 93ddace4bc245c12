#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"
#include "placement/mapping/uplink_times.hpp"

namespace railyard::placement {

/// The load of an all-to-all on the uplinks of leaves and pods, by counting, in O(ranks + nodes x
/// rails). Without PXN, with n ranks, n_L of them connected to leaf L, and b bytes per pair:
///   up(L) = down(L) = b * sum over i in L of (n - |L or node of i|).
/// With PXN, bytes leave on the rail of their destination. With d_r(L) destinations of rail r in L,
/// and k_r(L) ranks on nodes whose NIC of rail r connects to L:
///   up(L) = b * k_r(L) * (d_r - d_r(L)),  down(L) = b * d_r(L) * (n - k_r(L)).
/// Pods likewise.
class Exchange {
 public:
  explicit Exchange(const Tiers& tiers);

  /// Adds the loads, times `each` bytes (negative: removes them).
  void add_uplinks(std::span<const Rank> gpus, double each, bool pxn, UplinkLoads& loads);

  /// Counts the ranks of a group per node; valid until the next call.
  void count_nodes(std::span<const Rank> gpus);
  [[nodiscard]] std::span<const std::uint32_t> nodes() const { return nodes_; }
  [[nodiscard]] std::uint32_t ranks_on(std::uint32_t node) const { return on_node_[node]; }
  /// Whether every node of the counted group has a GPU near each rail that the group uses.
  [[nodiscard]] bool has_rails(std::span<const Rank> gpus);
  /// Rails that the group uses; requires a call of has_rails.
  [[nodiscard]] std::span<const std::uint32_t> rails() const { return rails_; }

 private:
  void add_direct(std::span<const Rank> gpus, double each, UplinkLoads& loads);
  void add_by_rail(std::span<const Rank> gpus, double each, std::uint32_t rail, UplinkLoads& loads);

  const Tiers* tiers_;
  std::size_t base_;  ///< number of the first leaf trunk
  std::vector<std::uint32_t> on_node_, nodes_, rails_;
  std::vector<bool> rail_seen_;
  std::vector<std::uint32_t> at_leaf_, at_pod_, from_leaf_, from_pod_;  ///< zero between calls
  std::vector<std::uint32_t> leaves_, pods_;
  std::vector<std::uint32_t> shared_leaf_, shared_pod_;
  std::vector<std::uint32_t> start_, order_;
};

}  // namespace railyard::placement
