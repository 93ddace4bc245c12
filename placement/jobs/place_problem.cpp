#include "placement/jobs/place_problem.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "placement/jobs/taken_gpus.hpp"
#include "placement/mapping/node_blocks.hpp"

namespace railyard::placement {
namespace {

std::vector<Rank> of_shape(const topology::Cluster& cluster, std::span<const Rank> gpus,
                           std::uint32_t shape) {
  std::vector<Rank> some;
  std::ranges::copy_if(gpus, std::back_inserter(some),
                       [&](Rank gpu) { return cluster.node(cluster.node_of(gpu)).shape == shape; });
  return some;
}

/// The types of the first `gpus` free GPUs. With several types, each has all free GPUs of that type
/// to choose from.
std::vector<GpuType> types_of_first(const topology::Cluster& cluster, std::span<const Rank> free,
                                    std::size_t gpus) {
  std::vector<GpuType> types = gpu_types(cluster, free.first(gpus));
  if (types.size() == 1 || gpus == free.size()) return types;
  const Tiers tiers(cluster);
  for (GpuType& type : types) {
    type.taken = static_cast<int>(type.free.size());
    type.free = packed(tiers, of_shape(cluster, free, type.shape), type.free.size());
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
  std::vector<const CommunicationModel*> models;
  for (const ClosedForm& form : communication) models.push_back(&form);
  return cost_context(job, types, models, order);
}

int PlaceProblem::gpus() const {
  int all = 0;
  for (const GpuType& type : types) all += type.gpus();
  return all;
}

PlaceProblem make_problem(ProblemParts parts) {
  const std::vector<Rank> free = free_gpus(parts.cluster, parts.occupancy, parts.usable);
  const auto gpus = static_cast<std::size_t>(parts.gpus.value_or(static_cast<int>(free.size())));
  assert(gpus > 0 && gpus <= free.size());
  std::vector<GpuType> types = gpu_types(parts.cluster, free);
  if (types.size() > 1) types = types_of_first(parts.cluster, free, gpus);
  if (types.size() == 1) {
    GpuType& only = types.front();
    only.taken = static_cast<int>(gpus);
    const bool chooses = !parts.occupancy.empty() && !parts.keeps_order;
    if (chooses && gpus < only.free.size())
      only.free = packed(Tiers(parts.cluster), only.free, gpus);
  }
  std::vector<ClosedForm> communication;
  for (GpuType& type : types) {
    if (parts.memory) type.gpu.gpu.memory = std::min(type.gpu.gpu.memory, *parts.memory);
    communication.emplace_back(type.fabric);
    (void)peak(type.gpu, parts.job.precision);
  }
  return {.cluster = std::move(parts.cluster),
          .routing = parts.routing,
          .faults = std::move(parts.faults),
          .job = std::move(parts.job),
          .occupancy = std::move(parts.occupancy),
          .order = parts.order,
          .usable = std::move(parts.usable),
          .types = std::move(types),
          .communication = std::move(communication)};
}

PlaceProblem problem_on(topology::Cluster cluster, Job job, std::optional<int> gpus) {
  ProblemParts parts{
      .cluster = std::move(cluster), .routing = {}, .job = std::move(job), .gpus = gpus};
  parts.routing = parts.cluster.spec().fabric.routing;
  for (std::size_t rank = 0; rank < parts.cluster.rank_count(); ++rank)
    parts.usable.emplace_back(rank);
  return make_problem(std::move(parts));
}

PlaceProblem with_occupancy(PlaceProblem problem, Occupancy occupancy, std::span<const int> gpus) {
  problem.occupancy = std::move(occupancy);
  const std::vector<Rank> free = free_gpus(problem.cluster, problem.occupancy, problem.usable);
  for (GpuType& type : problem.types) {
    type.free = of_shape(problem.cluster, free, type.shape);
    type.taken = -1;
  }
  if (gpus.empty()) return problem;
  const Tiers tiers(problem.cluster);
  for (std::size_t t = 0; t < problem.types.size(); ++t) {
    GpuType& type = problem.types[t];
    type.taken = gpus[t];
    if (gpus[t] > 0) type.free = packed(tiers, type.free, static_cast<std::size_t>(gpus[t]));
  }
  return problem;
}

PlaceProblem with_batch(PlaceProblem problem, int batch) {
  problem.job.batch = batch;
  return problem;
}

PlaceProblem with_types_of(PlaceProblem problem, std::span<const GpuType> types) {
  for (std::size_t t = problem.types.size(); t-- > 0;) {
    if (find_type(types, problem.types[t].shape) != nullptr) continue;
    const auto at = static_cast<std::ptrdiff_t>(t);
    problem.types.erase(problem.types.begin() + at);
    problem.communication.erase(problem.communication.begin() + at);
  }
  return problem;
}

PlaceProblem with_gpus(PlaceProblem problem, int gpus) {
  problem.types.front().taken = gpus;
  return problem;
}

}  // namespace railyard::placement
