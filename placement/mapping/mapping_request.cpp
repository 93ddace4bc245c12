#include "placement/mapping/mapping_request.hpp"

namespace railyard::placement {

std::vector<std::size_t> MappingRequest::ranks_by_type() const {
  if (rank_types.empty()) return {grid->size()};
  std::vector<std::size_t> counts(free.size(), 0);
  for (const int type : rank_types) ++counts[static_cast<std::size_t>(type)];
  return counts;
}

}  // namespace railyard::placement
