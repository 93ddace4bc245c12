#include "placement/jobs/place_problem.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "placement/jobs/taken_gpus.hpp"
#include "placement/mapping/node_blocks.hpp"

namespace railyard::placement {
namespace {

/// The types of the first `gpus` free GPUs, each with all free GPUs of that type to choose from.
std::vector<GpuType> types_of_first(const topology::Cluster& cluster, std::span<const Rank> free,
                                    std::size_t gpus) {
  std::vector<GpuType> types = gpu_types(cluster, free.first(gpus));
  if (types.size() == 1 || gpus == free.size()) return types;
  const Tiers tiers(cluster);
  for (GpuType& type : types) {
    const auto shape = cluster.node(cluster.node_of(type.free.front())).shape;
    std::vector<Rank> all;
    for (const Rank gpu : free)
      if (cluster.node(cluster.node_of(gpu)).shape == shape) all.push_back(gpu);
    type.taken = static_cast<int>(type.free.size());
    type.free = packed(tiers, all, type.free.size());
  }
  return types;
}

}  // namespace

std::vector<Rank> free_gpus(const topology::Cluster& cluster, const Occupancy& occupancy,
                            std::span<const Rank> usable) {
  const std::vector<bool> taken = taken_gpus(cluster, occupancy);
  std::vector<Rank> free;
  std::ranges::copy_if(usable, std::back_inserter(free),
                       [&](Rank gpu) { return !taken[gpu.index()]; });
  return free;
}

CostContext PlaceProblem::context() const {
  if (types.size() == 1)
    return TypeContext{.job = job,
                       .gpu = gpu,
                       .communication = communication.front(),
                       .gpus_per_node = gpus_per_node,
                       .order = order,
                       .gpus = gpus};
  std::vector<const CommunicationModel*> models;
  for (const ClosedForm& form : communication) models.push_back(&form);
  return cost_context(job, types, models, order);
}

PlaceProblem make_problem(ProblemParts parts) {
  std::vector<Rank> free = free_gpus(parts.cluster, parts.occupancy, parts.usable);
  const auto gpus = static_cast<std::size_t>(parts.gpus.value_or(static_cast<int>(free.size())));
  assert(gpus > 0 && gpus <= free.size());
  std::vector<GpuType> types = gpu_types(parts.cluster, free);
  if (types.size() > 1) types = types_of_first(parts.cluster, free, gpus);
  if (types.size() == 1) free = types.front().free;
  const bool chooses = !parts.occupancy.empty() && !parts.keeps_order && types.size() == 1;
  if (chooses && gpus < free.size()) free = packed(Tiers(parts.cluster), free, gpus);
  if (parts.memory)
    for (GpuType& type : types) type.gpu.gpu.memory = std::min(type.gpu.gpu.memory, *parts.memory);
  Processor gpu = types.front().gpu;
  gpu.measured = std::move(parts.measured);
  const int gpus_per_node = types.front().gpus_per_node();
  std::vector<ClosedForm> communication;
  for (const GpuType& type : types) communication.emplace_back(type.fabric);
  for (const GpuType& type : types) (void)peak(type.gpu, parts.job.precision);
  return {.cluster = std::move(parts.cluster),
          .routing = parts.routing,
          .faults = std::move(parts.faults),
          .job = std::move(parts.job),
          .occupancy = std::move(parts.occupancy),
          .order = parts.order,
          .usable = std::move(parts.usable),
          .free = std::move(free),
          .gpus = static_cast<int>(gpus),
          .gpus_per_node = gpus_per_node,
          .types = std::move(types),
          .gpu = std::move(gpu),
          .communication = std::move(communication)};
}

PlaceProblem with_occupancy(PlaceProblem problem, Occupancy occupancy, int gpus) {
  const auto shape_of = [&](Rank gpu) {
    return problem.cluster.node(problem.cluster.node_of(gpu)).shape;
  };
  const auto shape = shape_of(problem.free.empty() ? problem.usable.front() : problem.free.front());
  problem.occupancy = std::move(occupancy);
  problem.free = free_gpus(problem.cluster, problem.occupancy, problem.usable);
  std::erase_if(problem.free, [&](Rank gpu) { return shape_of(gpu) != shape; });
  problem.gpus = gpus > 0 ? gpus : static_cast<int>(problem.free.size());
  if (gpus > 0)
    problem.free = packed(Tiers(problem.cluster), problem.free, static_cast<std::size_t>(gpus));
  return problem;
}

PlaceProblem with_batch(PlaceProblem problem, int batch) {
  problem.job.batch = batch;
  return problem;
}

PlaceProblem with_gpus(PlaceProblem problem, int gpus) {
  problem.gpus = gpus;
  return problem;
}

}  // namespace railyard::placement
