#include "apps/place/settle.hpp"

#include <cmath>

#include "apps/place/mapped.hpp"
#include "apps/place/place_engine.hpp"
#include "placement/mapping/step_traffic.hpp"

namespace railyard::apps {

using placement::Mapping;
using placement::Strategy;

Time Settled::step() const { return run.simulated ? run.simulated->total : run.scored.step.total; }

Settled run_on(const PlaceFlags& flags, Question& q, const Strategy& strategy,
               std::vector<Mapping> mappings) {
  const PlaceEngine engine(flags, q);
  const placement::CostContext cost = q.context();
  const placement::Scored scored = placement::score(cost, strategy);
  auto found = placement::verify_search({.context = cost,
                                         .engine = engine.engine(),
                                         .mappings = [&](const Strategy&) { return mappings; },
                                         .keep_going = {}},
                                        {&scored, 1});
  const std::size_t best = found.front().mapping;
  return {std::move(found.front()), std::move(mappings[best])};
}

Settled settle(const PlaceFlags& flags, Question& q, const Strategy& strategy) {
  const Mapper mapper(q, true);
  return run_on(flags, q, strategy, mapper.mappings(strategy));
}

std::vector<placement::Traffic> traffic_per_second(const placement::Job& job,
                                                   const Strategy& strategy, const Mapping& mapping,
                                                   double step) {
  std::vector<placement::Traffic> all;
  for (const placement::TrafficPhase& phase : placement::step_traffic(job, strategy)) {
    for (const placement::Traffic& traffic : phase.traffic) {
      placement::RankGroups groups;
      for (std::size_t g = 0; g < traffic.groups.count(); ++g) {
        std::vector<placement::JobRank> gpus;
        for (const placement::JobRank rank : traffic.groups[g])
          gpus.emplace_back(mapping[rank].value());
        groups.add(gpus);
      }
      const double bytes = static_cast<double>(traffic.bytes.count()) * phase.count / step;
      all.push_back({traffic.pattern, std::move(groups), Bytes(std::llround(bytes))});
    }
  }
  return all;
}

}  // namespace railyard::apps
