#include "placement/serving/planner/service_timeline.hpp"

#include <algorithm>

#include "placement/serving/step/step_power.hpp"

namespace railyard::placement::serving {
namespace {

/// Power of a replica's GPUs in W; `share` is a share of their thermal design power.
double replica_power(const PlanCase& one, double share) {
  return share * one.candidate.gpu.power.watts() * one.deployment.gpus();
}

double idle_share(const PlanCase& one) {
  return power_share(one.candidate.gpu, 0, 0, 1, one.candidate.gpu.spec.fp16);
}

}  // namespace

ServiceTimeline::Sums& ServiceTimeline::Sums::add(const Sums& other, double times) {
  waiting += times * other.waiting;
  batch += times * other.batch;
  blocks += times * other.blocks;
  tokens += times * other.tokens;
  energy += times * other.energy;
  return *this;
}

ServiceTimeline::ServiceTimeline(const ServingPlanRequest& request, const ServingOption& option)
    : cases_(request, option) {
  const auto add_pool = [&](std::string_view name, const PlanCase& one, int replicas) {
    pools_.push_back({.name = name,
                      .one = &one,
                      .replicas = replicas,
                      .idle_power = replica_power(one, idle_share(one)),
                      .bins = std::vector<Sums>(kBins)});
  };
  const PlanCase* prompts = cases_.prefill();
  if (prompts != nullptr) add_pool("prompts", *prompts, option.prefill_replicas);
  add_pool(prompts != nullptr ? "decodes" : "prompts and decodes", cases_.decode(),
           option.replicas);
}

void ServiceTimeline::widen() {
  for (Pool& pool : pools_) {
    for (std::size_t i = 0; i < kBins; ++i) {
      const Sums first = pool.bins[i];
      pool.bins[i] = {};
      pool.bins[i / 2].add(first, 1);
    }
  }
  width_ *= 2;
}

void ServiceTimeline::add(const StepRecord& step) {
  const double seconds = step.end - step.begin;
  if (seconds <= 0) return;
  while (step.end > width_ * static_cast<double>(kBins)) widen();
  end_ = std::max(end_, step.end);
  const bool is_first = step.replica < static_cast<std::size_t>(pools_.front().replicas);
  Pool& pool = is_first ? pools_.front() : pools_.back();
  const PlanCase& one = *pool.one;
  StepBatch copy = step.batch;
  copy.scale(1.0 / one.deployment.attention_dp);
  const double share = step_power_share(one.request.model, one.candidate.gpu, one.deployment,
                                        one.memory, copy, seconds);
  const Sums rates{.waiting = static_cast<double>(step.waiting),
                   .batch = static_cast<double>(step.running),
                   .blocks = static_cast<double>(step.used_blocks),
                   .tokens = step.batch.tokens() / seconds,
                   .energy = replica_power(one, share) - pool.idle_power};
  for (auto i = static_cast<std::size_t>(step.begin / width_); i < kBins; ++i) {
    const double from = width_ * static_cast<double>(i);
    const double part = std::min(step.end, from + width_) - std::max(step.begin, from);
    if (part <= 0) break;
    pool.bins[i].add(rates, part);
  }
}

std::vector<TimelinePoint> ServiceTimeline::points() const {
  std::vector<TimelinePoint> found;
  for (const Pool& pool : pools_) {
    const auto blocks =
        static_cast<double>(pool.one->replica().blocks) * pool.one->deployment.attention_dp;
    for (std::size_t i = 0; width_ * static_cast<double>(i) < end_; ++i) {
      const double from = width_ * static_cast<double>(i), to = std::min(end_, from + width_);
      const double seconds = to - from;
      const Sums& sums = pool.bins[i];
      found.push_back({.pool = pool.name,
                       .from = from,
                       .to = to,
                       .waiting = sums.waiting / seconds,
                       .batch = sums.batch / seconds,
                       .kv_use = sums.blocks / (seconds * blocks * pool.replicas),
                       .tokens_per_s = sums.tokens / seconds,
                       .power = sums.energy / seconds + pool.replicas * pool.idle_power});
    }
  }
  return found;
}

}  // namespace railyard::placement::serving
