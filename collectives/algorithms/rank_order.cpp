#include "collectives/algorithms/rank_order.hpp"

#include <cassert>
#include <utility>

namespace railyard::collectives {

RankOrder RankOrder::identity(std::uint32_t count) {
  RankOrder order;
  order.size_ = count;
  return order;
}

RankOrder RankOrder::blocks(std::uint32_t blocks, std::vector<std::uint32_t> even,
                            std::vector<std::uint32_t> odd) {
  assert(odd.empty() || odd.size() == even.size());
  Written written{
      .block = static_cast<std::uint32_t>(even.size()), .odd_offset = 0, .positions = {}};
  if (!odd.empty()) written.odd_offset = written.block;
  even.insert(even.end(), odd.begin(), odd.end());
  written.positions = std::move(even);
  RankOrder order;
  order.size_ = blocks * written.block;
  order.written_ = std::make_shared<const Written>(std::move(written));
  return order;
}

RankOrder RankOrder::explicit_list(std::vector<std::uint32_t> positions) {
  RankOrder order;
  order.size_ = static_cast<std::uint32_t>(positions.size());
  order.written_ = std::make_shared<const Written>(Written{.positions = std::move(positions)});
  return order;
}

}  // namespace railyard::collectives
