#include "collectives/formats/export_goal.hpp"

#include <numeric>
#include <vector>

#include "collectives/formats/goal_text.hpp"

namespace railyard::collectives {

std::string export_goal(const Schedule& schedule) {
  std::vector<std::uint32_t> ranks(schedule.participants());
  std::iota(ranks.begin(), ranks.end(), 0U);
  GoalText text(ranks.size());
  text.add_schedule(schedule, ranks, {}, {});
  return text.text();
}

}  // namespace railyard::collectives
