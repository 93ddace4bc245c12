#include "apps/explain/tuning_ground.hpp"

#include <utility>

#include "apps/nccl/nccl_ways.hpp"

namespace railyard::apps {
namespace {

/// How well two simulations of one way agree where nothing contends (docs/models/flow.md).
constexpr double kNominalGain = 1.03;
/// The model's mean error is 6 % of a time (results/validation.md), 9 % of the ratio of two.
constexpr double kFittedGain = 1.1;

double simulated_us(const collectives::Schedule& schedule, collectives::Executor& executor) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const auto result = executor.run({&task, 1}).tasks.front();
  return (result.finish - result.start).microseconds();
}

}  // namespace

double TuningGround::least_gain() const { return timing != nullptr ? kFittedGain : kNominalGain; }

std::optional<WayTimes> TuningGround::floor(const ChoiceRequest& asked,
                                            const Candidate& way) const {
  if (timing == nullptr) return WayTimes{};
  const auto pace = timing->pace(nccl_schedule(chooser, asked, way));
  if (!pace) return std::nullopt;
  return WayTimes{.measured = pace->total().microseconds(), .nccl = way.time_us};
}

WayTimes TuningGround::times(const ChoiceRequest& asked, const Candidate& way) const {
  const collectives::Schedule schedule = nccl_schedule(chooser, asked, way);
  double sum = 0;
  for (const auto& fabric : fabrics) sum += simulated_us(schedule, *fabric);
  const double mean = sum / static_cast<double>(fabrics.size());
  const double alone = timing != nullptr ? timing->pace(schedule)->total().microseconds()
                                         : simulated_us(schedule, *ideal);
  const double nccl = alone > 0 ? way.time_us * mean / alone : way.time_us;
  return {.measured = timing != nullptr ? mean : nccl, .nccl = nccl};
}

topology::Cluster on_one_switch(const topology::Cluster& cluster) {
  topology::ClusterSpec spec = cluster.spec();
  const topology::FabricSpec own = spec.fabric;
  spec.fabric = {};
  spec.fabric.kind = topology::FabricKind::single_switch;
  spec.fabric.transport = own.transport;
  // The ports of two planes are halves of a NIC.
  if (own.kind != topology::FabricKind::dual_plane) spec.fabric.port_bandwidth = own.port_bandwidth;
  spec.fabric.port_latency = own.port_latency;
  spec.fabric.switch_latency = own.switch_latency;
  spec.fabric.mtu = own.mtu;
  spec.fabric.packet_overhead = own.packet_overhead;
  spec.file.clear();
  return topology::build_cluster(std::move(spec));
}

}  // namespace railyard::apps
