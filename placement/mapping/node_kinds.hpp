#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// Which nodes are interchangeable below the leaves: the same shape, the same connected NICs, and
/// the same bandwidth on every link below the leaves. Nodes of one kind differ only in their
/// leaves.
class NodeKinds {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Kinds of `nodes`. `seconds_per_byte` is by trunk; empty: from the bandwidth of the tiers.
  NodeKinds(const Tiers& tiers, std::span<const std::uint32_t> nodes,
            std::span<const double> seconds_per_byte = {});

  /// kNone for nodes that are not in `nodes`.
  [[nodiscard]] std::uint32_t kind(std::uint32_t node) const { return kinds_[node]; }
  [[nodiscard]] std::size_t count() const { return examples_.size(); }
  /// Whether all NICs of each node connect to one leaf. If so, uplink loads do not depend on the
  /// choice of the NIC.
  [[nodiscard]] bool is_flat() const { return is_flat_; }

 private:
  [[nodiscard]] bool are_alike(std::uint32_t a, std::uint32_t b,
                               std::span<const double> seconds_per_byte) const;
  void look_at_leaves(std::uint32_t node);

  const Tiers* tiers_;
  std::vector<std::uint32_t> kinds_;
  std::vector<std::uint32_t> examples_;  ///< one node of each kind
  bool is_flat_ = true;
};

/// The nodes of GPUs, each once, in the order of their first GPU.
[[nodiscard]] std::vector<std::uint32_t> nodes_of(const Tiers& tiers, std::span<const Rank> gpus);

}  // namespace railyard::placement
