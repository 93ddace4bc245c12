#include "placement/measured/whole_step.hpp"

#include "placement/jobs/mapper.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/simulate/verify_search.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

WholeStep whole_step(const TrainingRun& run, const EngineFactory& engines) {
  const int per_node = topology::read_cluster(run.cluster, 1).node_specs.front().gpu_count();
  const int nodes = (run.gpus + per_node - 1) / per_node;
  const PlaceProblem problem = problem_on(
      topology::build_cluster(topology::read_cluster(run.cluster, nodes)), run.job, run.gpus);
  const auto engine = engines(problem);
  const CostContext context = problem.context();
  const Mapper mapper(problem, false);
  const ScoredStrategy scored = score(context, run.strategy);
  const SimulatedStrategy step =
      verify_search(
          {.context = context,
           .engine = *engine,
           .mappings = [&](const Strategy& strategy) { return mapper.mappings(strategy); }},
          {&scored, 1})
          .front();
  if (!step.simulated) return {.why_not = step.why_not};
  if (!step.as_workload) return {.why_not = step.why_passes};
  return {.time = step.simulated->total};
}

}  // namespace railyard::placement
