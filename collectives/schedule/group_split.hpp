#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/group.hpp"

namespace railyard::collectives {

/// How NCCL_TESTS_SPLIT makes groups of ranks.
enum class GroupSplit : std::uint8_t {
  neighbours,  ///< "DIV n": n neighbours each, the last group may have fewer
  strided,     ///< "MOD n": n groups of every n-th rank, or as many as there are ranks
};

/// The ranks of each group, in the order of `group`. `number` is at least 1.
[[nodiscard]] std::vector<std::vector<Rank>> split_ranks(const Group& group, GroupSplit split,
                                                         std::uint32_t number);

}  // namespace railyard::collectives
