#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace railyard::collectives {

/// A permutation of group positions in compact storage: as equal blocks (the members of a node in
/// one order, and optionally another order on odd nodes, as in NCCL's crossNic rings), or as an
/// explicit list.
class RankOrder {
 public:
  RankOrder() = default;
  /// The positions 0..count-1 in order.
  [[nodiscard]] static RankOrder identity(std::uint32_t count);
  /// blocks * even.size() places. Block b contains the positions b * even.size() + even[i], or
  /// odd[i] instead of even[i] if b is odd and `odd` is not empty.
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
    std::uint32_t block = 0;  ///< 0: `positions` is the complete list
    /// Where the order of odd blocks begins in `positions`; 0: as even blocks.
    std::uint32_t odd_offset = 0;
    std::vector<std::uint32_t> positions;
  };
  std::uint32_t size_ = 0;
  std::shared_ptr<const Written> written_;  ///< null: the identity
};

}  // namespace railyard::collectives
