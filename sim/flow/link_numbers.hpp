#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/id.hpp"

namespace railyard::sim {

/// The links of one simulation, numbered from 0 in the order of their ids. Simulating a part of a
/// large cluster then uses memory only for the links of that part.
class LinkNumbers {
 public:
  /// All links below `count`, numbered as they are.
  explicit LinkNumbers(std::size_t count) : count_(count) {}
  /// `links` in ascending order; `number_of[id]` is the index of each of them. Other entries of
  /// `number_of` (indices in other such lists) are ignored. Both must outlive this.
  LinkNumbers(std::span<const LinkId> links, std::span<const std::uint32_t> number_of)
      : count_(links.size()), links_(links), number_of_(number_of), is_all_(false) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_all() const { return is_all_; }
  [[nodiscard]] LinkId link(LinkId number) const {
    return is_all_ ? number : links_[number.index()];
  }
  /// none() for a link outside this list.
  [[nodiscard]] LinkId number(LinkId link) const {
    if (is_all_) return link;
    const std::uint32_t place = number_of_[link.index()];
    return place < count_ && links_[place] == link ? LinkId(place) : LinkId::none();
  }

 private:
  std::size_t count_;
  std::span<const LinkId> links_;
  std::span<const std::uint32_t> number_of_;
  bool is_all_ = true;
};

}  // namespace railyard::sim
