#include "placement/measured/step_residuals.hpp"

#include <map>
#include <utility>

#include "topology/cluster/read_timings.hpp"

namespace railyard::placement {

using namespace collectives::nccl;

MachinePart step_part(const topology::GpuSpec& gpu) {
  const int capability = gpu.compute_capability;
  return {PartKind::gpu, gpu.name,
          topology::gpu_family(capability, topology::generation_of(capability))};
}

std::vector<MeasuredPart> step_parts(StepPredictor& predictor,
                                     std::span<const PredictedStep> steps) {
  std::vector<MeasuredPart> parts;
  for (const PredictedStep& step : steps) {
    const std::string& cluster = step.run->cluster;
    add_measured(parts, RangeOf::step, step_part(predictor.machine(cluster).gpu.gpu), cluster);
  }
  return parts;
}

std::vector<Residual> step_residuals(StepPredictor& predictor,
                                     std::span<const PredictedStep> steps) {
  const std::vector<MeasuredPart> parts = step_parts(predictor, steps);
  std::map<std::pair<std::size_t, std::string>, std::size_t> sweeps, count, seen;
  for (const PredictedStep& step : steps) ++count[{step.run->set, step.run->cluster}];
  std::vector<Residual> residuals;
  for (const PredictedStep& step : steps) {
    const TrainingRun& run = *step.run;
    const std::pair sweep(run.set, run.cluster);
    if (!is_kept(seen[sweep]++, count[sweep])) continue;
    const PredictedMachine& machine = predictor.machine(run.cluster);
    const MachinePart part = step_part(machine.gpu.gpu);
    residuals.push_back(
        {.query = {.of = RangeOf::step,
                   .evidence = evidence_for(part, parts, RangeOf::step, run.cluster).evidence,
                   .several_nodes = run.gpus > static_cast<int>(machine.fabric.gpus_per_node),
                   .bytes = Bytes(),
                   .generation = part.family},
         .table = "steps on " + run.cluster,
         .sweep = sweeps.try_emplace(sweep, sweeps.size()).first->second,
         .ratio = run.measured_s / step.without_machine_s});
  }
  return residuals;
}

}  // namespace railyard::placement
