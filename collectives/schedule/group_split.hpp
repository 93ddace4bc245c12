#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/group.hpp"

namespace railyard::collectives {

/// How ranks are split into groups, as by NCCL_TESTS_SPLIT.
enum class GroupSplit : std::uint8_t {
  neighbours,  ///< "DIV n": groups of n consecutive ranks; the last group may be smaller
  strided,     ///< "MOD n": n groups of every n-th rank, at most one group per rank
};

/// The ranks of each group, in the order of `group`. `number` is the n of the split, at least 1.
[[nodiscard]] std::vector<std::vector<Rank>> split_ranks(const Group& group, GroupSplit split,
                                                         std::uint32_t number);

}  // namespace railyard::collectives
