#include "collectives/workload/last_classes.hpp"

#include <algorithm>
#include <map>

namespace railyard::collectives {

std::vector<std::size_t> last_classes(const WorkloadRun& run, const JobOfRank& job_of) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < run.classes.size(); ++i) {
    const RankClassRun& ranks = run.classes[i];
    const auto [known, is_new] = last.try_emplace(job_of(ranks.ranks.front()), i);
    if (!is_new && run.classes[known->second].end < ranks.end) known->second = i;
  }
  std::vector<std::size_t> classes;
  for (const auto& [job, number] : last) classes.push_back(number);
  std::ranges::sort(classes);
  return classes;
}

LongestTimes longest_times(const Workload& workload, const WorkloadRun& run,
                           const std::vector<std::size_t>& classes) {
  LongestTimes longest;
  for (const std::size_t number : classes) {
    const RankTimes times = rank_times(workload, run.classes[number]);
    longest.compute = std::max(longest.compute, times.compute);
    longest.exposed = std::max(longest.exposed, times.exposed);
  }
  return longest;
}

}  // namespace railyard::collectives
