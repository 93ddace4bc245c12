#include "placement/mapping/arrangement.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <utility>
#include <vector>

#include "placement/mapping/unit_loads.hpp"

namespace railyard::placement {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};
/// Local optima without an improvement after which the search ends.
constexpr std::size_t kKicks = 16;

class Search {
 public:
  Search(const Tiers& tiers, const UnitTraffic& traffic, UnitLoads& loads, const NodeKinds& kinds,
         std::span<const Rank> free, std::uint64_t seed)
      : tiers_(tiers), traffic_(traffic), loads_(loads), kinds_(kinds), random_(seed) {
    find_places(free);
    find_neighbourhoods();
  }

  // Iterated local search: descends to a local optimum, changes the best mapping found at a few
  // random places, and descends again.
  Arrangement run(std::size_t most_work) {
    Arrangement result;
    const std::size_t work = loads_.work() + most_work;
    descend(work, 200 + 12 * traffic_.unit_count(), result);
    remember();
    std::size_t vain = 0;
    while (vain < kKicks && loads_.work() < work && best_cost_.squares > 0) {
      kick();
      descend(work, 50 + 2 * traffic_.unit_count(), result);
      if (UnitLoads::is_better(loads_.cost(), best_cost_)) {
        remember();
        vain = 0;
      } else {
        go_back();
        ++vain;
      }
    }
    return result;
  }

 private:
  // Tries moves until `patience` of them in a row did not lower the cost.
  void descend(std::size_t work, std::size_t patience, Arrangement& result) {
    std::size_t vain = 0;
    while (loads_.work() < work && vain < patience && loads_.cost().squares > 0) {
      ++vain;
      propose();
      if (moves_.empty()) continue;
      ++result.tried;
      const UnitLoads::Cost before = loads_.cost();
      loads_.apply(moves_);
      if (UnitLoads::is_better(loads_.cost(), before)) {
        ++result.kept;
        vain = 0;
        record_moves();
      } else {
        loads_.apply(back_);
      }
    }
  }

  void record_moves() {
    for (const UnitLoads::Move& back : back_) unit_on_[back.node] = kNobody;
    for (const UnitLoads::Move& move : moves_) unit_on_[move.node] = move.unit;
  }

  void remember() {
    best_cost_ = loads_.cost();
    best_nodes_.clear();
    for (std::uint32_t u = 0; u < traffic_.unit_count(); ++u) best_nodes_.push_back(loads_.node(u));
  }

  void go_back() {
    moves_.clear();
    back_.clear();
    for (std::uint32_t u = 0; u < traffic_.unit_count(); ++u) {
      if (loads_.node(u) == best_nodes_[u]) continue;
      moves_.push_back({u, best_nodes_[u]});
      back_.push_back({u, loads_.node(u)});
    }
    loads_.apply(moves_);
    record_moves();
  }

  void kick() {
    const std::size_t exchanges = 2 + draw(3);
    for (std::size_t i = 0; i < exchanges; ++i) {
      moves_.clear();
      back_.clear();
      const auto unit = static_cast<std::uint32_t>(draw(traffic_.unit_count()));
      if (!exchange(unit, draw_from(nodes_))) continue;
      loads_.apply(moves_);
      record_moves();
    }
  }

  // Finds the GPUs that the job may use (free or its own), and the unit on each node.
  void find_places(std::span<const Rank> free) {
    usable_.assign(tiers_.cluster().rank_count(), false);
    unit_on_.assign(tiers_.cluster().node_count(), kNobody);
    std::vector<bool> seen(unit_on_.size(), false);
    const auto mark = [&](Rank gpu) {
      usable_[gpu.index()] = true;
      const std::uint32_t node = tiers_.gpu_position(gpu).node;
      if (!seen[node]) nodes_.push_back(node);
      seen[node] = true;
    };
    for (const Rank gpu : free) mark(gpu);
    for (std::uint32_t u = 0; u < traffic_.unit_count(); ++u) {
      unit_on_[loads_.node(u)] = u;
      for (const std::uint32_t gpu : traffic_.local_gpus(u)) mark(gpu_of(loads_.node(u), gpu));
    }
    std::ranges::sort(nodes_);
  }

  [[nodiscard]] Rank gpu_of(std::uint32_t node, std::uint32_t local) const {
    return Rank(tiers_.cluster().node(NodeId(node)).first_rank.value() + local);
  }

  // Lists the usable nodes by leaf and by pod.
  void find_neighbourhoods() {
    at_leaf_.resize(tiers_.leaf_count());
    at_pod_.resize(tiers_.pod_count());
    std::vector<std::uint32_t> leaves, pods;
    for (const std::uint32_t n : nodes_) {
      leaves.clear();
      pods.clear();
      const int nics = tiers_.cluster().shape(NodeId(n)).nic_count();
      for (int i = 0; i < nics; ++i) {
        const Tiers::Nic& nic = tiers_.nic(tiers_.first_nic(n) + static_cast<std::uint32_t>(i));
        if (nic.leaf == Tiers::kNone) continue;
        if (std::ranges::find(leaves, nic.leaf) == leaves.end()) leaves.push_back(nic.leaf);
        if (std::ranges::find(pods, nic.pod) == pods.end()) pods.push_back(nic.pod);
      }
      for (const std::uint32_t leaf : leaves) at_leaf_[leaf].push_back(n);
      for (const std::uint32_t pod : pods) at_pod_[pod].push_back(n);
    }
  }

  std::size_t draw(std::size_t below) { return static_cast<std::size_t>(random_() % below); }
  std::uint32_t draw_from(std::span<const std::uint32_t> list) { return list[draw(list.size())]; }

  bool fits(std::uint32_t unit, std::uint32_t node) const {
    return kinds_.kind(node) == kinds_.kind(loads_.node(unit)) &&
           std::ranges::all_of(traffic_.local_gpus(unit), [&](std::uint32_t gpu) {
             return usable_[gpu_of(node, gpu).index()];
           });
  }

  // Adds to the move: `unit` goes to `node`, and the unit there, if any, to the node of `unit`.
  // Returns false if one of them does not fit or is part of the move already.
  bool exchange(std::uint32_t unit, std::uint32_t node) {
    const std::uint32_t other = unit_on_[node];
    if (other == unit || !fits(unit, node)) return false;
    const auto is_taken = [&](std::uint32_t u) {
      return std::ranges::find(moves_, u, &UnitLoads::Move::unit) != moves_.end();
    };
    if (is_taken(unit) || (other != kNobody && is_taken(other))) return false;
    if (std::ranges::find(moves_, node, &UnitLoads::Move::node) != moves_.end()) return false;
    const std::uint32_t home = loads_.node(unit);
    if (other != kNobody && !fits(other, home)) return false;
    moves_.push_back({unit, node});
    back_.push_back({unit, home});
    if (other != kNobody) {
      moves_.push_back({other, home});
      back_.push_back({other, node});
    }
    return true;
  }

  // A random unit below a busiest uplink of a random phase; kNobody if no uplink is busy.
  std::uint32_t busy_unit() {
    for (std::size_t attempt = 0; attempt < 4; ++attempt) {
      // Drawn first, so that the order of draws does not depend on the compiler.
      const auto among_equals = random_();
      const std::size_t trunk = loads_.busiest(draw(loads_.phase_count()), among_equals);
      if (trunk >= tiers_.trunk_count()) continue;
      const TrunkTier tier = tiers_.tier(TrunkId(trunk));
      const std::size_t place = trunk - tiers_.range(tier).begin;
      const std::vector<std::uint32_t>& nodes = tier == TrunkTier::leaf
                                                    ? at_leaf_[place % tiers_.leaf_count()]
                                                    : at_pod_[place % tiers_.pod_count()];
      for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t unit = unit_on_[draw_from(nodes)];
        if (unit != kNobody) return unit;
      }
    }
    return kNobody;
  }

  // A random unit that `unit` communicates with.
  std::uint32_t partner(std::uint32_t unit) {
    const auto edges = traffic_.edges_of(unit);
    const auto exchanges = traffic_.exchanges_of(unit);
    if (edges.empty() && exchanges.empty()) return kNobody;
    const std::size_t pick = draw(edges.size() + exchanges.size());
    if (pick < edges.size()) {
      const UnitTraffic::Edge& edge = traffic_.edges()[edges[pick]];
      const std::uint32_t a = edge.from;
      return a == unit ? edge.to : a;
    }
    const auto members = traffic_.members(traffic_.exchanges()[exchanges[pick - edges.size()]]);
    return members[draw(members.size())].unit;
  }

  void propose() {
    moves_.clear();
    back_.clear();
    std::uint32_t unit = busy_unit();
    if (unit == kNobody) return;
    std::uint32_t node = kNobody;
    std::uint32_t partner_unit = draw(4) < 3 ? partner(unit) : kNobody;
    if (partner_unit != kNobody && draw(2) == 0) std::swap(unit, partner_unit);
    if (partner_unit != kNobody && partner_unit != unit) {
      const Tiers::Nic& nic = tiers_.nic(tiers_.first_nic(loads_.node(partner_unit)));
      const bool by_leaf = nic.leaf != Tiers::kNone && (draw(4) < 3);
      node = nic.leaf == Tiers::kNone ? draw_from(nodes_)
                                      : draw_from(by_leaf ? at_leaf_[nic.leaf] : at_pod_[nic.pod]);
    } else {
      node = draw_from(nodes_);
    }
    const std::uint32_t other = unit_on_[node];
    if (draw(4) == 0 && other != kNobody) {
      exchange_runs(unit, other);
    } else if (!exchange(unit, node)) {
      moves_.clear();
      back_.clear();
    }
  }

  // Exchanges two runs of 2, 4, 8, ... units that are consecutive in rank order.
  void exchange_runs(std::uint32_t a, std::uint32_t b) {
    const auto most = std::bit_width(traffic_.unit_count() / 2);
    const std::uint32_t run = 1U << draw(std::max<std::size_t>(1, static_cast<std::size_t>(most)));
    a -= a % run;
    b -= b % run;
    for (std::uint32_t i = 0; i < run; ++i) {
      if (std::max(a, b) + i >= traffic_.unit_count()) break;
      if (!exchange(a + i, loads_.node(b + i))) {
        moves_.clear();
        back_.clear();
        return;
      }
    }
  }

  const Tiers& tiers_;
  const UnitTraffic& traffic_;
  UnitLoads& loads_;
  const NodeKinds& kinds_;
  std::mt19937_64 random_;
  std::vector<bool> usable_;  ///< by GPU
  std::vector<std::uint32_t> unit_on_, nodes_;
  std::vector<std::vector<std::uint32_t>> at_leaf_, at_pod_;
  std::vector<UnitLoads::Move> moves_, back_;
  UnitLoads::Cost best_cost_;
  std::vector<std::uint32_t> best_nodes_;
};

}  // namespace

Arrangement improve_arrangement(const Tiers& tiers, const UnitTraffic& traffic, UnitLoads& loads,
                                const NodeKinds& kinds, std::span<const Rank> free,
                                const ArrangementOptions& options) {
  Search search(tiers, traffic, loads, kinds, free, options.seed);
  return search.run(options.work);
}

Arrangement improve_arrangement(const Tiers& tiers, std::span<const TrafficPhase> phases,
                                const EvaluateOptions& evaluate, const Mapping& mapping,
                                std::span<const Rank> free, const ArrangementOptions& options) {
  if (phases.empty() || mapping.size() == 0) return {mapping};
  std::vector<Rank> gpus(free.begin(), free.end());
  gpus.insert(gpus.end(), mapping.gpus.begin(), mapping.gpus.end());
  Evaluator evaluator(tiers, phases, evaluate);
  const NodeKinds kinds(tiers, nodes_of(tiers, gpus));
  const UnitTraffic traffic(tiers, phases, mapping, evaluate.pxn, kinds.is_flat());
  UnitLoads loads(tiers, phases, evaluate, traffic, evaluator.floors(mapping));
  loads.place(traffic.nodes());
  Arrangement found = improve_arrangement(tiers, traffic, loads, kinds, free, options);
  found.mapping = traffic.mapping(tiers, loads.nodes());
  return found;
}

}  // namespace railyard::placement
