#include "placement/measured/step_predictor.hpp"

#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

const PredictedMachine& StepPredictor::machine(const std::string& cluster) {
  const auto known = machines_.find(cluster);
  if (known != machines_.end()) return known->second;
  const topology::Cluster built = topology::build_cluster(topology::read_cluster(cluster, 1));
  PredictedMachine machine{.fabric = node_fabric(built),
                           .gpu = find_processor(built.spec().node_specs.front().gpu)};
  return machines_.emplace(cluster, std::move(machine)).first->second;
}

ScoredStrategy StepPredictor::score(const TrainingRun& run, const topology::ComputeSpec* spec) {
  const PredictedMachine& shipped = machine(run.cluster);
  Processor gpu = shipped.gpu;
  if (spec != nullptr) gpu.spec = *spec;
  ClosedForm communication(shipped.fabric);
  const TypeContext context{.job = run.job,
                            .gpu = gpu,
                            .communication = communication,
                            .gpus_per_node = static_cast<int>(shipped.fabric.gpus_per_node)};
  return placement::score(context, run.strategy);
}

PredictedStep StepPredictor::predict(const TrainingRun& run) {
  const ScoredStrategy scored = score(run);
  const Bytes tensors = scored.memory.total() - scored.memory.reserved;
  return {.run = &run,
          .predicted_s = scored.step.total.seconds(),
          .predicted_gib = static_cast<double>(tensors.count()) / 0x1p30};
}

}  // namespace railyard::placement
