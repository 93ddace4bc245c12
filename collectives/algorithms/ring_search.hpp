#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/algorithms/node_members.hpp"

namespace railyard::collectives {

/// The number of directed links from each member of a node to each other member.
class LinkCounts {
 public:
  explicit LinkCounts(std::uint32_t size) : size_(size), counts_(std::size_t{size} * size, 0) {}
  /// Counts the direct NVLinks between the members; links to an NVSwitch do not count.
  [[nodiscard]] static LinkCounts nvlinks(const NodeMembers& members);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] int& at(std::uint32_t from, std::uint32_t to) {
    return counts_[std::size_t{from} * size_ + to];
  }
  [[nodiscard]] int at(std::uint32_t from, std::uint32_t to) const {
    return counts_[std::size_t{from} * size_ + to];
  }
  /// The smallest number of links that leave a member.
  [[nodiscard]] int least_degree() const;

 private:
  std::uint32_t size_;
  std::vector<int> counts_;
};

/// The ends of a path through all members. If `last` is not set, the path may end anywhere.
/// `closed` requires a link from the last member back to the first.
struct PathEnds {
  std::uint32_t first = 0;
  std::optional<std::uint32_t> last;
  bool closed = false;
};

/// Searches link-disjoint paths through all members, one for each of `ends`, by depth-first search
/// in member order with at most 2^19 steps (as in NCCL's search). Deterministic. Returns paths for
/// the longest prefix of `ends` that it could satisfy.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> search_paths(LinkCounts links,
                                                                   std::span<const PathEnds> ends);

/// Searches as many link-disjoint rings as possible. The two directions of a ring follow each
/// other.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> search_rings(const LinkCounts& links);

}  // namespace railyard::collectives
