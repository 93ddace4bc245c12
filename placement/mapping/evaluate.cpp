#include "placement/mapping/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

constexpr double kNoWay = std::numeric_limits<double>::infinity();

/// Returns -1, 0 or 1. Values within 1e-9 of each other are equal, because sums in another order
/// differ in their last digits.
int compare(double a, double b) {
  const bool finite = std::isfinite(a) && std::isfinite(b);
  if (a == b || (finite && std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)))) return 0;
  return a < b ? -1 : 1;
}

/// Seconds per byte, by trunk; infinite without bandwidth. Rounding errors may leave a load on an
/// idle trunk, so Evaluator::busiest ignores loads up to half a byte.
std::vector<double> costs(const Tiers& tiers, std::span<const double> available) {
  const std::span<const double> bandwidth = available.empty() ? tiers.bandwidth() : available;
  std::vector<double> cost;
  cost.reserve(bandwidth.size());
  for (const double b : bandwidth) cost.push_back(b > 0 ? 1 / b : kNoWay);
  return cost;
}

}  // namespace

void require_nics(const Mapping& mapping, const Tiers& tiers) {
  if (mapping.size() == 0) return;
  const std::uint32_t first = tiers.gpu_position(mapping.gpus.front()).node;
  bool is_one_node = true;
  Rank lonely = Rank::none();
  for (const Rank gpu : mapping.gpus) {
    const Tiers::GpuPosition& position = tiers.gpu_position(gpu);
    is_one_node = is_one_node && position.node == first;
    if (position.nic == Tiers::kNone && lonely.is_none()) lonely = gpu;
  }
  if (is_one_node || lonely.is_none()) return;
  const topology::Cluster& cluster = tiers.cluster();
  throw InputError("", cluster.name(cluster.gpu(lonely)),
                   "has no NIC that is connected to a switch",
                   "add NICs to the node, or place the job inside one node");
}

bool is_better(const MappingScore& a, const MappingScore& b) {
  if (const int order = compare(a.seconds, b.seconds); order != 0) return order < 0;
  if (const int order = compare(a.uplink_seconds, b.uplink_seconds); order != 0) return order < 0;
  return compare(a.hop_bytes, b.hop_bytes) < 0;
}

Evaluator::Evaluator(const Tiers& tiers, std::span<const TrafficPhase> phases,
                     const EvaluateOptions& options)
    : tiers_(&tiers),
      phases_(phases),
      cost_(costs(tiers, options.available)),
      uplink_times_(tiers, std::span(cost_).subspan(tiers.range(TrunkTier::leaf).begin),
                    options.hashed, options.flows_per_pair),
      walk_(tiers),
      loads_(tiers, options.pxn) {}

void Evaluator::load(const TrafficPhase& phase, const Mapping& mapping) {
  loads_.clear();
  for (const Traffic& traffic : phase.traffic) walk_(traffic, mapping, loads_);
}

Evaluator::Busiest Evaluator::busiest(TrunkTier tier) const {
  const auto [begin, end] = tiers_->range(tier);
  const std::size_t base = tiers_->range(TrunkTier::leaf).begin;
  Busiest most;
  for (std::size_t i = std::max(begin, base); i < end; ++i) {
    const double seconds = uplink_times_(i - base, loads_.uplinks());
    if (seconds > most.seconds) most = {seconds, i};
  }
  if (begin >= base) return most;
  const std::span<const double> below = loads_.below_leaves();
  for (const std::uint32_t i : loads_.loaded_below()) {
    if (i < begin || i >= end || below[i] <= 0.5) continue;
    const double seconds = below[i] * cost_[i];
    // Equal trunks: the lowest number, so that the order of loading does not matter.
    if (seconds > most.seconds || (seconds == most.seconds && i < most.trunk)) most = {seconds, i};
  }
  return most;
}

MappingScore Evaluator::score(const Mapping& mapping, double limit) {
  require_nics(mapping, *tiers_);
  // Each phase adds seconds, so the sum of some phases may already exceed the limit. Scores within
  // 1e-8 of it are computed in full, because is_better compares with a tolerance.
  const double most = limit * (1 + 1e-8);
  MappingScore score;
  for (const TrafficPhase& phase : phases_) {
    load(phase, mapping);
    const double leaf = busiest(TrunkTier::leaf).seconds, pod = busiest(TrunkTier::pod).seconds;
    const double inner =
        std::max(busiest(TrunkTier::node).seconds, busiest(TrunkTier::port).seconds);
    score.seconds += phase.count * std::max({inner, leaf, pod});
    score.uplink_seconds += phase.count * (leaf + pod);
    if (score.seconds > most) return {.seconds = kNoWay, .uplink_seconds = 0, .hop_bytes = 0};
    score.hop_bytes += phase.count * loads_.hop_bytes();
  }
  return score;
}

std::vector<Evaluator::PhaseSeconds> Evaluator::phase_seconds(const Mapping& mapping) {
  std::vector<PhaseSeconds> found;
  for (const TrafficPhase& phase : phases_) {
    load(phase, mapping);
    const double node = busiest(TrunkTier::node).seconds, port = busiest(TrunkTier::port).seconds;
    const double up = std::max(busiest(TrunkTier::leaf).seconds, busiest(TrunkTier::pod).seconds);
    found.push_back({phase.count * std::max({node, port, up}), port == 0 && up == 0});
  }
  return found;
}

std::vector<PhaseFloor> Evaluator::floors(const Mapping& mapping, double limit) {
  std::vector<PhaseFloor> floors(phases_.size());
  const std::size_t ports = tiers_->range(TrunkTier::port).begin;
  double least = 0;
  if (floor_order_.empty()) {
    for (std::size_t p = 0; p < phases_.size(); ++p) floor_order_.push_back(p);
  }
  for (auto p = floor_order_.begin(); p != floor_order_.end(); ++p) {
    load(phases_[*p], mapping);
    PhaseFloor& floor = floors[*p];
    floor.hop_bytes = loads_.hop_bytes_below();
    const std::span<const double> bytes = loads_.below_leaves();
    for (const std::uint32_t i : loads_.loaded_below()) {
      if (bytes[i] <= 0.5) continue;
      double& most = i < ports ? floor.node : floor.port;
      most = std::max(most, bytes[i] * cost_[i]);
    }
    least += phases_[*p].count * floor.seconds();
    if (least <= limit * (1 + 1e-8)) continue;
    // The next mapping probably exceeds the limit in the same phase, so this phase is moved to the
    // front.
    std::rotate(floor_order_.begin(), p, std::next(p));
    return {};
  }
  return floors;
}

std::vector<PhaseLoad> Evaluator::phases(const Mapping& mapping) {
  require_nics(mapping, *tiers_);
  std::vector<PhaseLoad> result;
  for (const TrafficPhase& phase : phases_) {
    load(phase, mapping);
    PhaseLoad out{.name = phase.name, .count = phase.count, .hop_bytes = loads_.hop_bytes()};
    double most = 0;
    for (std::size_t t = 0; t < kTrunkTiers; ++t) {
      const auto tier = static_cast<TrunkTier>(t);
      const auto [seconds, where] = busiest(tier);
      if (seconds == 0) continue;
      if (seconds == kNoWay) {
        throw InputError("", phase.name,
                         fmt::format("ranks of a group cannot reach each other: no bandwidth on {}",
                                     tiers_->name(TrunkId(where))),
                         "in a rail-only fabric keep groups on one rail, or allow PXN");
      }
      out.tiers[t] = {TrunkId(where), loads_.bytes(TrunkId(where)), Time::from_seconds(seconds)};
      if (seconds > most) {
        most = seconds;
        out.bound_by = tier;
        out.time = out.tiers[t].time;
      }
    }
    result.push_back(std::move(out));
  }
  return result;
}

EvaluateOptions evaluate_options(const topology::Cluster& cluster) {
  const topology::RoutingOptions& routing = cluster.spec().fabric.routing;
  return {.hashed = routing.policy == topology::RoutingPolicy::ecmp, .flows_per_pair = routing.qps};
}

std::vector<PhaseLoad> evaluate(const Mapping& mapping, std::span<const TrafficPhase> phases,
                                const Tiers& tiers, const EvaluateOptions& options) {
  return Evaluator(tiers, phases, options).phases(mapping);
}

}  // namespace railyard::placement
