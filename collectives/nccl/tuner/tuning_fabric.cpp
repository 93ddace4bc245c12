#include "collectives/nccl/tuner/tuning_fabric.hpp"

#include <utility>

#include "collectives/nccl/choice/nccl_choices.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Gains below 3 % are not worth another choice: two simulations of one choice differ by up to
/// that.
constexpr double kNominalGain = 1.03;
/// The mean error of the time model is 6 % (results/validation.md), that of the ratio of two times
/// about 9 %.
constexpr double kFittedGain = 1.1;

double simulated_us(const Schedule& schedule, Executor& executor) {
  const Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const auto result = executor.run({&task, 1}).tasks.front();
  return (result.finish - result.start).microseconds();
}

}  // namespace

double TuningFabric::least_gain() const { return pace != nullptr ? kFittedGain : kNominalGain; }

std::optional<ChoiceTimes> TuningFabric::lower_bound(const ChoiceRequest& request,
                                                     const AlgorithmChoice& choice) const {
  if (pace == nullptr) return ChoiceTimes{};
  const auto alone = pace->pace(nccl_schedule(chooser.setting(), request, choice));
  if (!alone) return std::nullopt;
  return ChoiceTimes{.predicted = alone->total().microseconds(), .estimated = choice.time_us};
}

ChoiceTimes TuningFabric::times(const ChoiceRequest& request, const AlgorithmChoice& choice) const {
  const Schedule schedule = nccl_schedule(chooser.setting(), request, choice);
  double sum = 0;
  for (const auto& engine : engines) sum += simulated_us(schedule, *engine);
  const double mean = sum / static_cast<double>(engines.size());
  const double alone = pace != nullptr ? pace->pace(schedule)->total().microseconds()
                                       : simulated_us(schedule, *one_switch);
  const double estimated = alone > 0 ? choice.time_us * mean / alone : choice.time_us;
  return {.predicted = pace != nullptr ? mean : estimated, .estimated = estimated};
}

topology::Cluster on_one_switch(const topology::Cluster& cluster) {
  topology::ClusterSpec spec = cluster.spec();
  const topology::FabricSpec own = spec.fabric;
  spec.fabric = {};
  spec.fabric.kind = topology::FabricKind::single_switch;
  spec.fabric.transport = own.transport;
  // With two planes a port has only half of the NIC's rate; the single switch uses the whole rate.
  if (own.kind != topology::FabricKind::dual_plane) spec.fabric.port_bandwidth = own.port_bandwidth;
  spec.fabric.port_latency = own.port_latency;
  spec.fabric.switch_latency = own.switch_latency;
  spec.fabric.mtu = own.mtu;
  spec.fabric.packet_overhead = own.packet_overhead;
  spec.file.clear();
  return topology::build_cluster(std::move(spec));
}

}  // namespace railyard::collectives::nccl
