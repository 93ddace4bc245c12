#include "placement/mapping/collisions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace railyard::placement {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};
constexpr double kEqual = 1e-9;  ///< sums in another order differ by less

int compare(double a, double b) {
  if (std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b))) return 0;
  return a < b ? -1 : 1;
}

class Search {
 public:
  Search(const Tiers& tiers, std::span<const TrafficPhase> phases, topology::LeafRouter& router,
         const Composition& parts, std::span<const std::uint32_t> nodes,
         std::span<const RoutedBound> bounds, const CollisionOptions& options)
      : tiers_(tiers),
        router_(router),
        pairs_(UnitTraffic::of_pairs(tiers, phases, climbing(bounds),
                                     parts.traffic.mapping(tiers, nodes), options.pxn)),
        options_(options),
        random_(options.seed),
        first_link_(router.first_link().index()),
        stride_(router.most_links()),
        ways_(pairs_.edges().size() * stride_, kNobody) {
    const std::size_t links = tiers.cluster().link_count() - first_link_;
    for (std::size_t i = 0; i < links; ++i) {
      cost_.push_back(1 /
                      tiers.cluster().link(LinkId(first_link_ + i)).bandwidth.bytes_per_second());
    }
    for (std::size_t p = 0; p < phases.size(); ++p) {
      phases_.push_back({.count = static_cast<double>(phases[p].count), .bound = bounds[p]});
      if (!bounds[p].is_known) phases_[p].seconds.assign(links, 0);
    }
    place_units(parts, nodes);
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t f = 0; f < pairs_.edges().size(); ++f) send(f);
    for (Phase& phase : phases_) find_hot_links(phase);
    std::size_t vain = 0;
    while (routes_ < options_.routes && find_hot_flows()) {
      // The hot flows stay the same until a unit has moved.
      Change change = Change::none;
      while (change == Change::none) {
        if (routes_ >= options_.routes || vain > 4 * hot_.size() + 64) return node_;
        change = try_exchange();
        vain = change == Change::better ? 0 : vain + 1;
      }
      for (Phase& phase : phases_) find_hot_links(phase);
    }
    return node_;
  }

 private:
  enum class Change { none, equal, better };
  struct Phase {
    double count = 1;
    RoutedBound bound;
    std::vector<double> seconds{};  ///< by link
    double hot = 0;                 ///< time above which a link counts as busiest
    double peak = 0;                ///< largest time of a link since the last reset
    struct State {
      double busiest = 0;
      double crowding = 0;  ///< sum over links of seconds to the power of four
      int hot_links = 0;
    };
    State at{}, before{};
  };
  struct Goal {
    double seconds = 0, crowding = 0;
  };

  static std::vector<bool> climbing(std::span<const RoutedBound> bounds) {
    std::vector<bool> climbs;
    for (const RoutedBound& bound : bounds) climbs.push_back(!bound.is_known);
    return climbs;
  }

  // Units of pairs_ are numbered by their ranks, as those of the composition are.
  void place_units(const Composition& parts, std::span<const std::uint32_t> nodes) {
    node_.assign(nodes.begin(), nodes.end());
    unit_on_.assign(tiers_.cluster().node_count(), kNobody);
    for (std::uint32_t u = 0; u < node_.size(); ++u) unit_on_[node_[u]] = u;
    std::map<std::vector<std::uint32_t>, std::uint32_t> groups;
    group_.assign(unit_on_.size(), kNobody);
    std::vector<std::uint32_t> leaves;
    for (const std::uint32_t node : parts.blocks->nodes) {
      leaves.clear();
      const int nics = tiers_.cluster().shape(NodeId(node)).nic_count();
      for (int i = 0; i < nics; ++i)
        leaves.push_back(tiers_.nic(tiers_.first_nic(node) + static_cast<std::uint32_t>(i)).leaf);
      const auto [at, is_new] =
          groups.try_emplace(leaves, static_cast<std::uint32_t>(members_.size()));
      if (is_new) members_.emplace_back();
      group_[node] = at->second;
      members_[at->second].push_back(node);
    }
  }

  [[nodiscard]] std::size_t draw(std::size_t below) {
    return static_cast<std::size_t>(random_() % below);
  }

  void put(Phase& phase, std::uint32_t link, double bytes) {
    double& seconds = phase.seconds[link];
    const bool was_hot = seconds >= phase.hot;
    const double before = seconds * seconds;
    seconds += bytes * cost_[link];
    const double after = seconds * seconds;
    phase.at.crowding += after * after - before * before;
    phase.peak = std::max(phase.peak, seconds);
    phase.at.hot_links += static_cast<int>(seconds >= phase.hot) - static_cast<int>(was_hot);
  }

  // Routes a flow and adds its bytes to the links of its path.
  void send(std::uint32_t f) {
    ++routes_;
    const UnitTraffic::Edge& flow = pairs_.edges()[f];
    Phase& phase = phases_[flow.phase];
    std::uint32_t* way = &ways_[f * stride_];
    std::uint32_t length = 0;
    (void)router_.route(nic(flow.from, flow.from_nic), nic(flow.to, flow.to_nic),
                        [&](LinkId link, double share) {
                          const auto at = static_cast<std::uint32_t>(link.index() - first_link_);
                          way[length++] = at;
                          put(phase, at, flow.bytes * share);
                        });
    if (length < stride_) way[length] = kNobody;
  }

  // Adds the bytes of a flow to the links of its known path (sign 1), or removes them (sign -1).
  void put_again(std::uint32_t f, double sign) {
    const UnitTraffic::Edge& flow = pairs_.edges()[f];
    const double bytes = sign * flow.bytes * router_.share();
    for (const std::uint32_t link : way(f)) put(phases_[flow.phase], link, bytes);
  }

  [[nodiscard]] std::span<const std::uint32_t> way(std::uint32_t f) const {
    const std::span<const std::uint32_t> room = std::span(ways_).subspan(f * stride_, stride_);
    return room.first(static_cast<std::size_t>(std::ranges::find(room, kNobody) - room.begin()));
  }

  [[nodiscard]] std::size_t nic(std::uint32_t unit, std::uint32_t local) const {
    return tiers_.first_nic(node_[unit]) + local;
  }

  // Finds the busiest time, and the links within kEqual of it, which stay the hot links until the
  // next call.
  static void find_hot_links(Phase& phase) {
    phase.at.busiest = 0;
    for (const double seconds : phase.seconds)
      phase.at.busiest = std::max(phase.at.busiest, seconds);
    phase.hot = phase.at.busiest * (1 - kEqual);
    phase.at.hot_links = static_cast<int>(
        std::ranges::count_if(phase.seconds, [&](double seconds) { return seconds >= phase.hot; }));
  }

  // Updates the busiest time after an exchange. If hot links remain, it is the largest of their
  // times and of links that have exceeded them; otherwise all links are searched.
  static void find_busiest(Phase& phase) {
    if (phase.at.hot_links > 0) {
      phase.at.busiest = std::max(phase.at.busiest, phase.peak);
      return;
    }
    phase.at.busiest = 0;
    for (const double seconds : phase.seconds)
      phase.at.busiest = std::max(phase.at.busiest, seconds);
  }

  [[nodiscard]] Goal goal() const {
    Goal goal;
    for (const Phase& phase : phases_) {
      goal.seconds += phase.count * std::max(phase.bound.below, phase.at.busiest);
      const double weight = phase.count * phase.count;
      goal.crowding += weight * weight * phase.at.crowding;
    }
    return goal;
  }

  // Lists the flows over a busiest link of each phase that takes longer than its lower bound.
  bool find_hot_flows() {
    hot_.clear();
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      const Phase& phase = phases_[p];
      if (phase.at.busiest <= phase.bound.least * (1 + kEqual)) continue;
      for (std::uint32_t f = 0; f < pairs_.edges().size(); ++f) {
        if (pairs_.edges()[f].phase != p) continue;
        if (std::ranges::any_of(
                way(f), [&](std::uint32_t link) { return phase.seconds[link] >= phase.hot; }))
          hot_.push_back(f);
      }
    }
    return !hot_.empty();
  }

  // Exchanges a unit of a hot flow with a random unit on an equal node; undoes it if that is worse.
  Change try_exchange() {
    const UnitTraffic::Edge& flow = pairs_.edges()[hot_[draw(hot_.size())]];
    const std::uint32_t unit = draw(2) == 0 ? flow.from : flow.to;
    const std::uint32_t home = node_[unit];
    const std::vector<std::uint32_t>& alike = members_[group_[home]];
    const std::uint32_t node = alike[draw(alike.size())];
    if (node == home) return Change::none;
    const Goal before = goal();
    exchange(unit, node);
    const Goal after = goal();
    const int seconds = compare(after.seconds, before.seconds);
    const int order = seconds != 0 ? seconds : compare(after.crowding, before.crowding);
    if (order <= 0) return order < 0 ? Change::better : Change::equal;
    undo(unit, home);
    return Change::none;
  }

  void place(std::uint32_t unit, std::uint32_t node) {
    const std::uint32_t home = node_[unit], other = unit_on_[node];
    node_[unit] = node;
    unit_on_[node] = unit;
    unit_on_[home] = other;
    if (other != kNobody) node_[other] = home;
  }

  // Removes the flows of both units from their links, exchanges the units and routes the flows
  // again.
  void exchange(std::uint32_t unit, std::uint32_t node) {
    moved_.clear();
    before_.clear();
    const std::uint32_t other = unit_on_[node];
    for (const std::uint32_t u : {unit, other}) {
      if (u == kNobody) continue;
      for (const std::uint32_t f : pairs_.edges_of(u)) {
        // Flows between the two units are in both lists.
        const UnitTraffic::Edge& flow = pairs_.edges()[f];
        if (u == other && (flow.from == unit || flow.to == unit)) continue;
        moved_.push_back(f);
      }
    }
    for (Phase& phase : phases_) phase.before = phase.at;
    for (const std::uint32_t f : moved_) {
      put_again(f, -1);
      const auto old = std::span(ways_).subspan(f * stride_, stride_);
      before_.insert(before_.end(), old.begin(), old.end());
    }
    for (Phase& phase : phases_) phase.peak = 0;
    place(unit, node);
    for (const std::uint32_t f : moved_) send(f);
    for (Phase& phase : phases_) find_busiest(phase);
  }

  void undo(std::uint32_t unit, std::uint32_t home) {
    for (const std::uint32_t f : moved_) put_again(f, -1);
    place(unit, home);
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      std::ranges::copy(std::span(before_).subspan(i * stride_, stride_),
                        ways_.begin() + static_cast<std::ptrdiff_t>(moved_[i] * stride_));
      put_again(moved_[i], 1);
    }
    for (Phase& phase : phases_) phase.at = phase.before;
  }

  const Tiers& tiers_;
  topology::LeafRouter& router_;
  UnitTraffic pairs_;
  CollisionOptions options_;
  std::mt19937_64 random_;
  std::size_t first_link_;
  std::size_t routes_ = 0;
  std::vector<double> cost_;  ///< seconds per byte by link
  std::vector<Phase> phases_;
  std::vector<std::uint32_t> node_, unit_on_, group_;
  std::vector<std::vector<std::uint32_t>> members_;  ///< nodes below the same leaves
  std::size_t stride_;                               ///< maximum number of links of a path
  std::vector<std::uint32_t> ways_, before_;  ///< links of each flow's path, ended by kNobody
  std::vector<std::uint32_t> hot_, moved_;
};

}  // namespace

std::vector<std::uint32_t> spread_collisions(const Tiers& tiers,
                                             std::span<const TrafficPhase> phases,
                                             topology::LeafRouter& router, const Composition& parts,
                                             std::span<const std::uint32_t> nodes,
                                             std::span<const RoutedBound> bounds,
                                             const CollisionOptions& options) {
  return Search(tiers, phases, router, parts, nodes, bounds, options).run();
}

}  // namespace railyard::placement
