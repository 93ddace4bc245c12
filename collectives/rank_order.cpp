#include "collectives/rank_order.hpp"

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
  RankOrder order;
  order.block_ = static_cast<std::uint32_t>(even.size());
  order.size_ = blocks * order.block_;
  order.odd_offset_ = odd.empty() ? 0 : order.block_;
  even.insert(even.end(), odd.begin(), odd.end());
  order.list_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(even));
  return order;
}

RankOrder RankOrder::explicit_list(std::vector<std::uint32_t> positions) {
  RankOrder order;
  order.size_ = static_cast<std::uint32_t>(positions.size());
  order.list_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(positions));
  return order;
}

}  // namespace railyard::collectives
