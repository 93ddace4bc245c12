#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/algorithms/node_members.hpp"

namespace railyard::collectives {

/// How many directed links lead from one member of a node to another.
class LinkCounts {
 public:
  explicit LinkCounts(std::uint32_t size) : size_(size), counts_(std::size_t{size} * size, 0) {}
  /// Direct NVLinks (and not those through an NVSwitch) among the members.
  [[nodiscard]] static LinkCounts nvlinks(const NodeMembers& members);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] int& at(std::uint32_t from, std::uint32_t to) {
    return counts_[std::size_t{from} * size_ + to];
  }
  [[nodiscard]] int at(std::uint32_t from, std::uint32_t to) const {
    return counts_[std::size_t{from} * size_ + to];
  }
  /// Links that leave the member with the fewest.
  [[nodiscard]] int least_degree() const;

 private:
  std::uint32_t size_;
  std::vector<int> counts_;
};

/// The ends of a way through all members: `last` not set means anywhere, `closed` that a link leads
/// back from the last to the first.
struct WayEnds {
  std::uint32_t first = 0;
  std::optional<std::uint32_t> last;
  bool closed = false;
};

/// Link-disjoint ways through all members, one for each of `ends`, found by depth-first search in
/// member order within a budget of steps (2^19, as NCCL's search). Deterministic. Returns the
/// longest run of leading `ends` that it could serve.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> search_ways(LinkCounts links,
                                                                  std::span<const WayEnds> ends);

/// As many link-disjoint rings as are found, both directions of a ring one after the other.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> search_rings(const LinkCounts& links);

}  // namespace railyard::collectives
