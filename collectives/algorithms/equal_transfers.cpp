#include "collectives/algorithms/equal_transfers.hpp"

namespace railyard::collectives {

std::uint64_t equal_transfers(const Pattern& pattern, std::uint64_t i) {
  const auto* pat = std::get_if<PatPattern>(&pattern);
  if (pat == nullptr) return 1;
  const std::uint64_t blocks = size(pattern) / pat->ranks;  // of each rank, one after another
  return blocks - i % blocks;
}

}  // namespace railyard::collectives
