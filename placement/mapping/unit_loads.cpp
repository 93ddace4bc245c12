#include "placement/mapping/unit_loads.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement {
namespace {

/// Sums in another order differ in the last digits; what differs by less is equal.
constexpr double kEqual = 1e-9;

int compare(double a, double b) {
  if (std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b))) return 0;
  return a < b ? -1 : 1;
}

/// Seconds per byte by uplink. Where there is no way, any load is worse than every real one, but
/// moves must still compare.
std::vector<double> finite_costs(const Tiers& tiers, const EvaluateOptions& options) {
  constexpr double kForbidden = 1e6;  // seconds per byte; the slowest real link has 1e-8
  const std::size_t base = tiers.range(TrunkTier::leaf).begin;
  std::vector<double> costs;
  for (const double b :
       (options.available.empty() ? tiers.bandwidth() : options.available).subspan(base))
    costs.push_back(b > 0 ? 1 / b : kForbidden);
  return costs;
}

}  // namespace

bool UnitLoads::is_better(const Cost& a, const Cost& b) {
  if (const int order = compare(a.seconds, b.seconds); order != 0) return order < 0;
  if (const int order = compare(a.uplink_seconds, b.uplink_seconds); order != 0) return order < 0;
  return compare(a.squares, b.squares) < 0;
}

UnitLoads::UnitLoads(const Tiers& tiers, std::span<const TrafficPhase> phases,
                     const EvaluateOptions& options, const UnitTraffic& traffic,
                     const Mapping& mapping)
    : tiers_(&tiers),
      traffic_(&traffic),
      pxn_(options.pxn),
      exchange_(tiers),
      base_(tiers.range(TrunkTier::leaf).begin),
      width_(tiers.trunk_count() - base_),
      loads_(phases.size(), {std::vector<double>(width_, 0), std::vector<double>(width_, 0)}),
      times_(tiers, finite_costs(tiers, options), options.hashed, options.flows_per_pair),
      phases_(phases.size()),
      edge_round_(traffic.edges().size(), 0),
      exchange_round_(traffic.exchanges().size(), 0),
      phase_touched_(phases.size(), false) {
  Evaluator evaluator(tiers, phases, options);
  const std::vector<std::array<double, 2>> below = evaluator.below_leaves(mapping);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    phases_[p].floor = std::max(below[p][0], below[p][1]);
    phases_[p].count = phases[p].count;
  }
  for (std::size_t u = 0; u < traffic.unit_count(); ++u) node_.push_back(traffic.node(u));
  for (const UnitTraffic::Edge& edge : traffic.edges()) add_edge(edge, 1);
  for (const UnitTraffic::Exchange& exchange : traffic.exchanges()) add_exchange(exchange, 1);
  for (std::size_t p = 0; p < phases.size(); ++p) measure(p);
  total();
}

Rank UnitLoads::gpu(std::uint32_t rank) const {
  const std::uint32_t node = node_[traffic_->unit_of(rank)];
  return Rank(tiers_->cluster().node(NodeId(node)).first_rank.value() + traffic_->local_gpu(rank));
}

Mapping UnitLoads::mapping() const {
  Mapping mapping;
  std::size_t ranks = 0;
  for (std::size_t u = 0; u < traffic_->unit_count(); ++u) ranks += traffic_->ranks(u).size();
  for (std::size_t r = 0; r < ranks; ++r)
    mapping.gpus.push_back(gpu(static_cast<std::uint32_t>(r)));
  return mapping;
}

void UnitLoads::climb(std::uint32_t phase, std::uint32_t from_nic, std::uint32_t to_nic,
                      double bytes, double sign) {
  const Tiers::Nic &a = tiers_->nic(from_nic), &b = tiers_->nic(to_nic);
  if (a.leaf == b.leaf) return;
  UplinkLoads& loads = loads_[phase];
  const auto add = [&](std::size_t trunk) {
    loads.bytes[trunk - base_] += sign * bytes;
    loads.squares[trunk - base_] += sign * bytes * bytes;
  };
  add(tiers_->leaf_up(a.leaf));
  add(tiers_->leaf_down(b.leaf));
  if (a.pod == b.pod) return;
  add(tiers_->pod_up(a.pod));
  add(tiers_->pod_down(b.pod));
}

void UnitLoads::add_edge(const UnitTraffic::Edge& edge, double sign) {
  ++work_;
  const Tiers::Seat* a = &tiers_->seat(gpu(edge.from));
  const Tiers::Seat* b = &tiers_->seat(gpu(edge.to));
  if (pxn_ && a->rail != b->rail) {
    const Rank proxy = tiers_->on_rail(a->node, b->rail);
    if (!proxy.is_none()) a = &tiers_->seat(proxy);
  }
  if (a->nic_count == 1 && b->nic_count == 1) {
    climb(edge.phase, a->nic, b->nic, edge.bytes, sign);
    return;
  }
  const auto from = tiers_->seat_nics(*a), to = tiers_->seat_nics(*b);
  const std::size_t ways = std::max(from.size(), to.size());
  for (std::size_t w = 0; w < ways; ++w) {
    climb(edge.phase, from[w % from.size()], to[w % to.size()],
          edge.bytes / static_cast<double>(ways), sign);
  }
}

void UnitLoads::add_exchange(const UnitTraffic::Exchange& exchange, double sign) {
  gpus_.clear();
  for (const std::uint32_t rank : traffic_->members(exchange)) gpus_.push_back(gpu(rank));
  work_ += 4 * gpus_.size();  // measured: a member of an exchange costs about four edges
  exchange_.add_uplinks(gpus_, sign * exchange.each, pxn_, loads_[exchange.phase]);
}

void UnitLoads::add_touched(double sign) {
  for (const std::uint32_t e : edges_) add_edge(traffic_->edges()[e], sign);
  for (const std::uint32_t x : exchanges_) add_exchange(traffic_->exchanges()[x], sign);
}

void UnitLoads::apply(std::span<const Move> moves) {
  ++round_;
  edges_.clear();
  exchanges_.clear();
  std::fill(phase_touched_.begin(), phase_touched_.end(), false);
  for (const Move& move : moves) {
    for (const std::uint32_t e : traffic_->edges_of(move.unit)) {
      if (edge_round_[e] == round_) continue;
      edge_round_[e] = round_;
      edges_.push_back(e);
      phase_touched_[traffic_->edges()[e].phase] = true;
    }
    for (const std::uint32_t x : traffic_->exchanges_of(move.unit)) {
      if (exchange_round_[x] == round_) continue;
      exchange_round_[x] = round_;
      exchanges_.push_back(x);
      phase_touched_[traffic_->exchanges()[x].phase] = true;
    }
  }
  add_touched(-1);
  for (const Move& move : moves) node_[move.unit] = move.node;
  add_touched(1);
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    if (phase_touched_[p]) measure(p);
  }
  total();
}

// What is left of loads that cancelled (some 1e-16 of what was there) counts as nothing.
void UnitLoads::measure(std::size_t phase) {
  PhaseState& state = phases_[phase];
  const std::size_t leaves = 2 * tiers_->leaf_count();
  double leaf = 0, pod = 0, squares = 0;
  for (std::size_t i = 0; i < width_; ++i) {
    const double time = times_(i, loads_[phase]);
    squares += time * time;
    double& most = i < leaves ? leaf : pod;
    most = std::max(most, time);
  }
  work_ += width_ / 8;
  state.busiest = std::max(leaf, pod);
  state.seconds = state.count * std::max({state.floor, leaf, pod});
  state.uplink_seconds = state.count * (leaf + pod);
  state.squares = state.count * state.count * squares;
}

std::size_t UnitLoads::busiest(std::size_t phase, std::size_t draw) const {
  const double most = phases_[phase].busiest;
  if (most == 0) return tiers_->trunk_count();
  for (std::size_t i = draw % width_, seen = 0; seen < width_;
       ++seen, i = i + 1 < width_ ? i + 1 : 0) {
    if (compare(times_(i, loads_[phase]), most) == 0) return base_ + i;
  }
  return tiers_->trunk_count();
}

void UnitLoads::total() {
  cost_ = {};
  for (const PhaseState& state : phases_) {
    cost_.seconds += state.seconds;
    cost_.uplink_seconds += state.uplink_seconds;
    cost_.squares += state.squares;
  }
}

}  // namespace railyard::placement
