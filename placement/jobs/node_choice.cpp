#include "placement/jobs/node_choice.hpp"

#include <cmath>

#include "placement/jobs/mapper.hpp"
#include "placement/mapping/step_traffic.hpp"

namespace railyard::placement {

Time NodeChoice::step() const {
  return run.simulated ? run.simulated->total : run.scored.step.total;
}

NodeChoice fastest_of(const PlaceProblem& problem, const EngineFactory& engines,
                      const Strategy& strategy, std::vector<Mapping> mappings) {
  const auto engine = engines(problem);
  const CostContext cost = problem.context();
  const ScoredStrategy scored = score(cost, strategy);
  auto found = verify_search({.context = cost,
                              .engine = *engine,
                              .mappings = [&](const Strategy&) { return mappings; },
                              .keep_going = {}},
                             {&scored, 1});
  const std::size_t best = found.front().mapping;
  return {std::move(found.front()), std::move(mappings[best])};
}

NodeChoice choose_nodes(const PlaceProblem& problem, const EngineFactory& engines,
                        const Strategy& strategy) {
  const Mapper mapper(problem, true);
  return fastest_of(problem, engines, strategy, mapper.mappings(strategy));
}

std::vector<Traffic> traffic_per_second(const Job& job, const Strategy& strategy,
                                        const Mapping& mapping, double step) {
  std::vector<Traffic> all;
  for (const TrafficPhase& phase : step_traffic(job, strategy)) {
    for (const Traffic& traffic : phase.traffic) {
      RankGroups groups;
      for (std::size_t g = 0; g < traffic.groups.count(); ++g) {
        std::vector<JobRank> gpus;
        for (const JobRank rank : traffic.groups[g]) gpus.emplace_back(mapping[rank].value());
        groups.add(gpus);
      }
      const double bytes = static_cast<double>(traffic.bytes.count()) * phase.count / step;
      all.push_back({traffic.pattern, std::move(groups), Bytes(std::llround(bytes))});
    }
  }
  return all;
}

}  // namespace railyard::placement
