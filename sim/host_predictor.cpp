#include "sim/host_predictor.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include "topology/node/host_rank.hpp"

namespace railyard::sim {

std::optional<HostPredictor::CachedHosts> HostPredictor::cached_hosts(
    const topology::Cluster& cluster, const std::optional<topology::HostMemory>& memory) {
  if (!memory) return std::nullopt;
  topology::ClusterSpec spec = cluster.spec();
  for (topology::NodeSpec& node : spec.node_specs)
    topology::set_rank_bandwidth(node, memory->bandwidth);
  auto built = std::make_unique<topology::Cluster>(topology::build_cluster(std::move(spec)));
  HostEngines engines(*built);
  return CachedHosts{*memory, std::move(built), std::move(engines)};
}

HostPredictor::HostPredictor(const topology::Cluster& cluster, const EngineOptions& options,
                             const std::optional<topology::HostMemory>& memory)
    : engines_(cluster, options), cached_(cached_hosts(cluster, memory)) {}

collectives::TaskResult HostPredictor::run(const collectives::Schedule& schedule,
                                           bool over_mpi) const {
  const Bytes buffers = schedule.collective().bytes * std::int64_t{schedule.group().size()};
  const double part = cached_ ? cached_->memory.part(buffers) : 0;
  if (part == 1) return cached_->engines.run(schedule, false);
  collectives::TaskResult result = engines_.run(schedule, over_mpi);
  if (part == 0) return result;
  const Time cached = cached_->engines.run(schedule, false).finish;
  result.finish = Time::picoseconds(
      std::llround(part * static_cast<double>(cached.picoseconds()) +
                   (1 - part) * static_cast<double>(result.finish.picoseconds())));
  return result;
}

}  // namespace railyard::sim
