#include "placement/cost/ring_over_types.hpp"

#include <algorithm>

namespace railyard::placement {

Time RingOverTypes::time(const GroupCollective& collective) const {
  Time slowest = context_.on(own_).communication.time(collective);
  if (!connects_replicas(collective.role)) return slowest;
  for (const int type : types_) {
    if (type == own_) continue;
    GroupCollective there = collective;
    there.shape = shapes_.on(type)[collective.role];
    slowest = std::max(slowest, context_.on(type).communication.time(there));
  }
  return slowest;
}

std::vector<int> types_of_stage(const Strategy& s, int stage) {
  std::vector<int> types;
  for (const PipelineClass& one : s.classes) {
    types.push_back(one.type_of(stage));
    if (stage == 0) types.push_back(one.type_of(s.pp - 1));
  }
  std::ranges::sort(types);
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return types;
}

}  // namespace railyard::placement
