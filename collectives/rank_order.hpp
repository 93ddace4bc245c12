#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace railyard::collectives {

/// A permutation of group positions, stored in the shortest way: equal blocks (a node's members in
/// one order, alternately another on odd nodes: NCCL's crossNic rings) or written out.
class RankOrder {
 public:
  RankOrder() = default;
  /// 0..count-1.
  [[nodiscard]] static RankOrder identity(std::uint32_t count);
  /// blocks * even.size() places; block b holds positions b * even.size() + even[i] (odd[i] where b
  /// is odd and `odd` is not empty).
  [[nodiscard]] static RankOrder blocks(std::uint32_t blocks, std::vector<std::uint32_t> even,
                                        std::vector<std::uint32_t> odd = {});
  [[nodiscard]] static RankOrder explicit_list(std::vector<std::uint32_t> positions);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t place) const {
    if (!list_) return place;
    const auto& list = *list_;
    if (block_ == 0) return list[place];
    const std::uint32_t block = place / block_;
    const std::uint32_t within = place - block * block_;
    return block * block_ + list[(block % 2) * odd_offset_ + within];
  }

 private:
  std::uint32_t size_ = 0;
  std::uint32_t block_ = 0;       ///< 0: written out
  std::uint32_t odd_offset_ = 0;  ///< where the odd block's order begins in list_; 0: as even
  std::shared_ptr<const std::vector<std::uint32_t>> list_;
};

}  // namespace railyard::collectives
