#include "placement/capacity/training/scaling_curve.hpp"

#include "placement/capacity/training/scaling.hpp"

namespace railyard::placement {
namespace {

/// The job with its batch in proportion to the GPUs.
Job grown(Job job, int gpus, int base_gpus) {
  job.batch = static_cast<int>(std::int64_t{job.batch} * gpus / base_gpus);
  return job;
}

}  // namespace

std::vector<ScalingPoint> scaling_curve(const Job& job, std::span<const CaseResult> results,
                                        double least) {
  std::vector<ScalingPoint> points;
  const CaseResult* base = nullptr;
  for (const CaseResult& result : results) {
    if (!result.option) continue;
    if (base == nullptr || base->asked.cluster != result.asked.cluster) base = &result;
    const ScoredStrategy &first = base->option->best, &now = result.option->best;
    ScalingPoint point{.cluster = result.asked.cluster,
                       .gpus = result.asked.gpus,
                       .tokens_per_s = result.option->tokens_per_s};
    point.strong = scaling_efficiency(job, first, job, now);
    if (point.strong < least) point.strong_limit = scaling_limit(job, first, job, now);
    if (base->weak && result.weak) {
      const int from = base->asked.gpus;
      const Job before = grown(job, from, from), after = grown(job, result.asked.gpus, from);
      point.weak = scaling_efficiency(before, *base->weak, after, *result.weak);
      if (*point.weak < least)
        point.weak_limit = scaling_limit(before, *base->weak, after, *result.weak);
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace railyard::placement
