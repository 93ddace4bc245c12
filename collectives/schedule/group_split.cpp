#include "collectives/schedule/group_split.hpp"

#include <algorithm>
#include <cassert>

namespace railyard::collectives {

std::vector<std::vector<Rank>> split_ranks(const Group& group, GroupSplit split,
                                           std::uint32_t number) {
  assert(number > 0);
  const bool are_neighbours = split == GroupSplit::neighbours;
  std::vector<std::vector<Rank>> groups(are_neighbours ? (group.size() - 1) / number + 1
                                                       : std::min(number, group.size()));
  for (std::uint32_t i = 0; i < group.size(); ++i)
    groups[are_neighbours ? i / number : i % number].push_back(group.rank(i));
  return groups;
}

}  // namespace railyard::collectives
