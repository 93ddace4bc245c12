#include "placement/jobs/queue_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placement/cost/gpu_type.hpp"
#include "placement/jobs/start_options.hpp"

namespace railyard::placement {
namespace {

/// How many GPUs a job lacks, and when enough will be free. `problem`: on what the others leave.
std::string missing_note(const ArrivingJob& job, const PlaceProblem& problem) {
  const int wanted = job.strategy.gpus();
  const std::string when = when_free_text(problem.cluster, problem.occupancy, problem.free().size(),
                                          static_cast<std::size_t>(wanted));
  std::string types;  // those that the job uses, where the cluster has others
  if (problem.cluster.shapes().size() > 1)
    for (const GpuType& type : problem.types)
      types += (types.empty() ? " of " : " and ") + type.gpu.gpu.name;
  return fmt::format("{} needs {} GPUs{}, but {} are free{}", job.name, wanted, types,
                     problem.free().size(), when.empty() ? "" : "; " + when);
}

/// "" if the jobs use all types of GPU.
std::string unused_types_note(std::span<const ArrivingJob> jobs) {
  const PlaceProblem& first = jobs.front().problem;
  std::string used;
  bool is_left = false;
  for (const GpuType& type : gpu_types(first.cluster, first.usable)) {
    const bool is_used = std::ranges::any_of(jobs, [&](const ArrivingJob& job) {
      return find_type(job.problem.types, type.shape) != nullptr;
    });
    if (is_used) used += (used.empty() ? "" : " and ") + type.gpu.gpu.name;
    is_left = is_left || !is_used;
  }
  if (!is_left) return {};
  return fmt::format(
      "the cluster has GPUs of several types, and only {} are used; choose others with --ranks",
      used);
}

}  // namespace

std::vector<std::string> queue_notes(std::span<const ArrivingJob> jobs,
                                     const QueueArrangement& placed) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (placed.mappings[i].size() == 0)
      notes.push_back(missing_note(jobs[i], beside_others(jobs, placed, i)));
  if (std::string unused = unused_types_note(jobs); !unused.empty())
    notes.push_back(std::move(unused));
  return notes;
}

}  // namespace railyard::placement
