#include "placement/search/type_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace railyard::placement {
namespace {

std::vector<double> rates_of(const Model& model, std::span<const BlockCosts> blocks,
                             bool is_recomputed) {
  const int sparse = model.moe_layers(), all = model.layers;
  std::vector<double> rates;
  for (const BlockCosts& b : blocks) {
    const auto pass = [&](const LayerCost& l) {
      const Time both = l.forward.total() + l.backward.total();
      return (is_recomputed ? both + l.recompute.total() : both).seconds();
    };
    const double mean = (pass(b.dense) * (all - sparse) + pass(b.sparse) * sparse) / all;
    rates.push_back(1 / mean);
  }
  return rates;
}

/// Seconds of the slowest stage for the best split of layers: the least B with the sum of shares[t]
/// · floor(B · rates[t]) >= layers. If a model has dense and sparse layers, layers count as
/// divisible.
double slowest_stage(const Model& model, std::span<const int> shares,
                     std::span<const double> rates) {
  const int layers = model.layers, sparse = model.moe_layers();
  double rate = 0;
  for (std::size_t t = 0; t < rates.size(); ++t) rate += shares[t] * rates[t];
  double limit = layers / rate;
  if (sparse > 0 && sparse < layers) return limit;
  constexpr double kRounding = 1e-9;
  while (true) {
    double done = 0, next = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < rates.size(); ++t) {
      if (shares[t] == 0) continue;
      const double layers_done = std::floor(limit * rates[t] + kRounding);
      done += shares[t] * layers_done;
      next = std::min(next, (layers_done + 1) / rates[t]);
    }
    if (done >= layers) return limit;
    limit = next;
  }
}

}  // namespace

LayerRates layer_rates(const Model& model, std::span<const BlockCosts> blocks) {
  return {.recomputed = rates_of(model, blocks, true), .once = rates_of(model, blocks, false)};
}

double bound_of_groups(const Job& job, const Strategy& s, std::span<const int> groups,
                       std::span<const double> rates) {
  double rate = 0;
  for (std::size_t t = 0; t < rates.size(); ++t) rate += groups[t] * rates[t];
  return static_cast<double>(job.batch / s.micro_batch) * job.model.layers / rate;
}

double bound_of_pipelines(const Job& job, const SearchSpace& space, const Strategy& s,
                          const Pipelines& pipelines, std::span<const double> rates) {
  const int layers = job.model.layers, micro_batches = job.batch / s.micro_batch;
  const bool is_even = !space.uneven_layers && !space.uneven_batches;
  const bool fills_bubbles =
      s.schedule == PipelineSchedule::zero_bubble || s.schedule == PipelineSchedule::dualpipe;
  double work = micro_batches, rate = 0, slowest = 0;
  for (std::size_t k = 0; k < pipelines.classes.size(); ++k) {
    const int replicas = pipelines.classes[k].replicas;
    double fastest = 0, slow = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < rates.size(); ++t) {
      if (pipelines.shares[k][t] == 0) continue;
      fastest = std::max(fastest, rates[t]);
      slow = std::min(slow, rates[t]);
    }
    const double once = layers / fastest;
    const double stage = slowest_stage(job.model, pipelines.shares[k], rates);
    if (!fills_bubbles) work += replicas * (once / stage - 1) / s.interleave;
    rate += replicas / stage;
    const int share = layers / (pipelines.pp - s.tower_stages);
    slowest = std::max(slowest, (micro_batches / pipelines.dp - 1) * (share / slow) + once);
  }
  return is_even && !fills_bubbles ? std::max(slowest, work / rate) : work / rate;
}

Time time_rounded_down(double seconds) {
  return Time::picoseconds(static_cast<std::int64_t>(std::floor(seconds * 1e12)));
}

}  // namespace railyard::placement
