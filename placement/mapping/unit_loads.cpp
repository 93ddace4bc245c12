#include "placement/mapping/unit_loads.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement {
namespace {

/// Relative difference up to which two costs count as equal: sums in another order differ in their
/// last digits.
constexpr double kEqual = 1e-9;

/// Seconds per byte where no path exists. It exceeds that of every real link (the slowest has
/// 1e-8), but is finite, so that moves which reduce such traffic compare as better.
constexpr double kForbidden = 1e6;

int compare(double a, double b) {
  if (std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b))) return 0;
  return a < b ? -1 : 1;
}

/// Seconds per byte by uplink.
std::vector<double> finite_costs(const Tiers& tiers, const EvaluateOptions& options) {
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
                     std::span<const PhaseFloor> floors)
    : tiers_(&tiers),
      traffic_(&traffic),
      pxn_(options.pxn),
      is_flat_(traffic.is_flat()),
      exchange_(tiers),
      base_(tiers.range(TrunkTier::leaf).begin),
      width_(tiers.trunk_count() - base_),
      leaves_(2 * tiers.leaf_count()),
      loads_(phases.size(), {std::vector<double>(width_, 0), std::vector<double>(width_, 0)}),
      times_(tiers, finite_costs(tiers, options), options.hashed, options.flows_per_pair),
      time_(phases.size() * width_, 0),
      is_touched_(phases.size() * width_, false),
      phases_(phases.size()),
      edge_round_(traffic.edges().size(), 0),
      exchange_round_(traffic.exchanges().size(), 0),
      phase_touched_(phases.size(), false),
      all_touched_(phases.size(), false),
      at_leaf_(tiers.leaf_count(), 0),
      at_pod_(tiers.pod_count(), 0) {
  for (std::size_t p = 0; p < phases.size(); ++p) {
    phases_[p].floor = floors[p].seconds();
    phases_[p].hop_bytes_below = floors[p].hop_bytes;
    phases_[p].count = phases[p].count;
  }
  split_by_phase();
  if (is_flat_) {
    for (std::size_t n = 0; n < tiers.cluster().node_count(); ++n) {
      const bool has_nic = tiers.cluster().shape(NodeId(n)).nic_count() > 0;
      homes_.push_back(has_nic ? tiers.nic(tiers.first_nic(static_cast<std::uint32_t>(n)))
                               : Tiers::Nic{});
    }
  }
  for (std::size_t u = 0; u < traffic.unit_count(); ++u) node_.push_back(traffic.node(u));
}

// The traffic lists edges and exchanges phase by phase.
void UnitLoads::split_by_phase() {
  const auto split = [&](const auto& items, auto first, auto last) {
    std::size_t at = 0;
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      phases_[p].*first = at;
      while (at < items.size() && items[at].phase == p) ++at;
      phases_[p].*last = at;
    }
  };
  split(traffic_->edges(), &PhaseState::first_edge, &PhaseState::last_edge);
  split(traffic_->exchanges(), &PhaseState::first_exchange, &PhaseState::last_exchange);
}

MappingScore UnitLoads::place(std::span<const std::uint32_t> nodes, double limit) {
  std::ranges::copy(nodes, node_.begin());
  const double most = limit * (1 + 1e-8);  // as in Evaluator::score
  double seconds = 0;
  for (const PhaseState& phase : phases_) seconds += phase.count * phase.floor;
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    constexpr double kAbove = std::numeric_limits<double>::infinity();
    if (seconds > most) return {.seconds = kAbove, .uplink_seconds = 0, .hop_bytes = 0};
    PhaseState& phase = phases_[p];
    std::ranges::fill(loads_[p].bytes, 0.0);
    std::ranges::fill(loads_[p].squares, 0.0);
    for (std::size_t e = phase.first_edge; e < phase.last_edge; ++e)
      add_edge(traffic_->edges()[e], 1);
    for (std::size_t x = phase.first_exchange; x < phase.last_exchange; ++x)
      add_exchange(traffic_->exchanges()[x], 1);
    for (const std::uint32_t at : touched_) is_touched_[at] = false;
    touched_.clear();
    find_times(p);
    measure(p);
    seconds += phase.seconds - phase.count * phase.floor;
  }
  total();
  return score();
}

MappingScore UnitLoads::score() const {
  constexpr double kNoWay = std::numeric_limits<double>::infinity();
  MappingScore score{.seconds = cost_.seconds, .uplink_seconds = cost_.uplink_seconds};
  // Loads below half a byte are rounding errors (measure).
  if (score.seconds >= 0.5 * kForbidden) return {kNoWay, 0, 0};
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    const std::span<const double> bytes(loads_[p].bytes);
    double up = 0;
    for (const double b : bytes.first(tiers_->leaf_count())) up += b;
    for (const double b : bytes.subspan(leaves_, tiers_->pod_count())) up += b;
    score.hop_bytes += phases_[p].count * (phases_[p].hop_bytes_below + 2 * up);
  }
  return score;
}

void UnitLoads::touch(std::size_t phase, std::size_t uplink, double bytes, double squares) {
  loads_[phase].bytes[uplink] += bytes;
  loads_[phase].squares[uplink] += squares;
  const std::size_t at = phase * width_ + uplink;
  if (is_touched_[at]) return;
  is_touched_[at] = true;
  touched_.push_back(static_cast<std::uint32_t>(at));
}

void UnitLoads::add_edge(const UnitTraffic::Edge& edge, double sign) {
  const Tiers::Nic a = nic(edge.from, edge.from_nic), b = nic(edge.to, edge.to_nic);
  if (a.leaf == b.leaf) return;
  const double bytes = sign * edge.bytes, squares = sign * edge.squares;
  const auto leaves = static_cast<std::uint32_t>(tiers_->leaf_count());
  const auto pods = static_cast<std::uint32_t>(tiers_->pod_count());
  touch(edge.phase, a.leaf, bytes, squares);
  touch(edge.phase, leaves + b.leaf, bytes, squares);
  if (a.pod == b.pod) return;
  touch(edge.phase, leaves_ + a.pod, bytes, squares);
  touch(edge.phase, leaves_ + pods + b.pod, bytes, squares);
}

void UnitLoads::add_exchange(const UnitTraffic::Exchange& exchange, double sign) {
  if (is_flat_) return add_flat_exchange(exchange, sign);
  gpus_.clear();
  for (const UnitTraffic::Member& member : traffic_->members(exchange)) {
    const NodeId node(node_[member.unit]);
    gpus_.emplace_back(tiers_->cluster().node(node).first_rank.value() + member.gpu);
  }
  exchange_.add_uplinks(gpus_, sign * exchange.each, pxn_, loads_[exchange.phase]);
  all_touched_[exchange.phase] = true;
}

// All NICs of a node connect to one leaf, so rails make no difference: with n ranks, n_L of them
// below leaf L, up(L) = down(L) = each n_L (n - n_L). The same formula holds for pods.
void UnitLoads::add_flat_exchange(const UnitTraffic::Exchange& exchange, double sign) {
  double n = 0;
  for (const UnitTraffic::Member& member : traffic_->members(exchange)) {
    const Tiers::Nic home = homes_[node_[member.unit]];
    if (at_leaf_[home.leaf] == 0) leaf_list_.push_back(home.leaf);
    if (at_pod_[home.pod] == 0) pod_list_.push_back(home.pod);
    at_leaf_[home.leaf] += member.ranks;
    at_pod_[home.pod] += member.ranks;
    n += member.ranks;
  }
  const auto add = [&](std::vector<std::uint32_t>& list, std::vector<std::uint32_t>& at,
                       std::size_t up, std::size_t down) {
    for (const std::uint32_t place : list) {
      const double bytes = sign * exchange.copies * exchange.each * at[place] * (n - at[place]);
      if (bytes != 0) {
        touch(exchange.phase, up + place, bytes, bytes * exchange.each);
        touch(exchange.phase, down + place, bytes, bytes * exchange.each);
      }
      at[place] = 0;
    }
    list.clear();
  };
  add(leaf_list_, at_leaf_, 0, tiers_->leaf_count());
  add(pod_list_, at_pod_, leaves_, leaves_ + tiers_->pod_count());
}

void UnitLoads::add_touched(double sign) {
  for (const std::uint32_t e : edges_) add_edge(traffic_->edges()[e], sign);
  for (const std::uint32_t x : exchanges_) add_exchange(traffic_->exchanges()[x], sign);
}

// Lists the edges and exchanges of the units that move, each once.
void UnitLoads::collect(std::span<const Move> moves) {
  ++round_;
  edges_.clear();
  exchanges_.clear();
  std::fill(phase_touched_.begin(), phase_touched_.end(), false);
  std::fill(all_touched_.begin(), all_touched_.end(), false);
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
      work_ += 2 * traffic_->members(traffic_->exchanges()[x]).size();
    }
  }
  work_ += 2 * edges_.size();
}

void UnitLoads::apply(std::span<const Move> moves) {
  collect(moves);
  touched_.clear();
  add_touched(-1);
  for (const Move& move : moves) node_[move.unit] = move.node;
  add_touched(1);
  for (const std::uint32_t at : touched_) {
    is_touched_[at] = false;
    time_[at] = times_(at % width_, loads_[at / width_]);
  }
  work_ += touched_.size();
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    if (all_touched_[p]) find_times(p);
    if (phase_touched_[p]) measure(p);
  }
  total();
}

void UnitLoads::find_times(std::size_t phase) {
  for (std::size_t i = 0; i < width_; ++i) time_[phase * width_ + i] = times_(i, loads_[phase]);
  work_ += width_ / 4;
}

// Loads that were added and removed leave a rounding error of about 1e-16 of their sum, which
// counts as 0.
void UnitLoads::measure(std::size_t phase) {
  PhaseState& state = phases_[phase];
  const std::span<const double> times = std::span(time_).subspan(phase * width_, width_);
  double leaf = 0, pod = 0, squares = 0;
  for (const double time : times.first(leaves_)) {
    squares += time * time;
    leaf = std::max(leaf, time);
  }
  for (const double time : times.subspan(leaves_)) {
    squares += time * time;
    pod = std::max(pod, time);
  }
  work_ += width_ / 16;
  state.busiest = std::max(leaf, pod);
  state.seconds = state.count * std::max({state.floor, leaf, pod});
  state.uplink_seconds = state.count * (leaf + pod);
  state.squares = state.count * state.count * squares;
}

std::size_t UnitLoads::busiest(std::size_t phase, std::size_t draw) const {
  const double most = phases_[phase].busiest;
  if (most == 0) return tiers_->trunk_count();
  const std::span<const double> times = std::span(time_).subspan(phase * width_, width_);
  for (std::size_t i = draw % width_, seen = 0; seen < width_;
       ++seen, i = i + 1 < width_ ? i + 1 : 0) {
    if (compare(times[i], most) == 0) return base_ + i;
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
