#include "apps/validate/whole_steps.hpp"

#include <fmt/format.h>

#include <utility>

#include "apps/cli/progress.hpp"
#include "apps/cli/setting.hpp"
#include "apps/place/place_engine.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/mapper.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {
namespace {

using namespace placement;

/// A run on the fewest nodes of its cluster.
PlaceProblem problem_of(const TrainingRun& run) {
  const int per_node = static_cast<int>(
      topology::build_cluster(topology::read_cluster(run.cluster, 1)).rank_count());
  const int nodes = (run.gpus + per_node - 1) / per_node;
  ProblemParts parts{.cluster = topology::build_cluster(topology::read_cluster(run.cluster, nodes)),
                     .routing = {},
                     .job = run.job,
                     .gpus = run.gpus};
  parts.routing = routing_of(parts.cluster, {}, {});
  for (std::size_t rank = 0; rank < parts.cluster.rank_count(); ++rank)
    parts.usable.emplace_back(rank);
  return make_problem(std::move(parts));
}

Verified simulated(const TrainingRun& run) {
  const PlaceProblem problem = problem_of(run);
  const auto engine = engines_of("flow")(problem);
  const CostContext context = problem.context();
  const Mapper mapper(problem, false);
  const Scored scored = score(context, run.strategy);
  return verify_search(
             {.context = context,
              .engine = *engine,
              .mappings = [&](const Strategy& strategy) { return mapper.mappings(strategy); }},
             {&scored, 1})
      .front();
}

}  // namespace

std::vector<double> whole_step_seconds(const std::vector<TrainingRun>& runs,
                                       std::vector<std::string>& notes, Context& context) {
  Progress progress(context, runs.size());
  std::vector<double> seconds;
  for (const TrainingRun& run : runs) {
    progress.next(run.cluster);
    const Verified step = simulated(run);
    const bool known = step.simulated && step.as_workload;
    seconds.push_back(known ? step.simulated->total.seconds() : 0);
    if (known) continue;
    notes.push_back(fmt::format("not simulated as a whole step: {} on {} GPUs of {}: {}",
                                to_text(run.strategy), run.gpus, run.cluster,
                                step.simulated ? step.why_passes : step.why_not));
    print_note(context, notes.back());
  }
  return seconds;
}

}  // namespace railyard::apps
