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
    if (!written_) return place;
    const Written& order = *written_;
    if (order.block == 0) return order.positions[place];
    const std::uint32_t block = place / order.block;
    const std::uint32_t within = place - block * order.block;
    return block * order.block + order.positions[(block % 2) * order.odd_offset + within];
  }

 private:
  struct Written {
    std::uint32_t block = 0;       ///< 0: written out
    std::uint32_t odd_offset = 0;  ///< where the odd block's order begins; 0: as even
    std::vector<std::uint32_t> positions;
  };
  std::uint32_t size_ = 0;
  std::shared_ptr<const Written> written_;  ///< null: identity
};

}  // namespace railyard::collectives
