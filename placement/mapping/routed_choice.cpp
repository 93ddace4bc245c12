#include "placement/mapping/routed_choice.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "placement/mapping/collisions.hpp"
#include "placement/mapping/mapping_search.hpp"
#include "placement/mapping/routed_score.hpp"

namespace railyard::placement {
namespace {

/// Total ranks whose flows are routed to try other orders of nodes: kRoutedRanks / ranks orders.
constexpr std::size_t kRoutedRanks = 16'384;
/// Number of paths to route in the search that spreads collisions: a multiple of the job's paths,
/// with a minimum.
constexpr std::size_t kRoutesPerFlow = 6, kLeastRoutes = 8'000;
constexpr std::size_t kFinalists = 4;  ///< finalists of a search whose flows are routed
/// Ratio of the routed time to the time of the busiest links above which a second search runs.
constexpr double kNoticeable = 1.2;

bool is_at_most(double a, double b) { return a <= b * (1 + 1e-9); }

/// Keeps the best of the offered mappings by routed time. Mappings whose busiest links take more
/// than `most_seconds` are ignored.
class RoutedChoice {
 public:
  /// `even` is a search with traffic spread evenly.
  RoutedChoice(const Tiers& tiers, const MappingRequest& even, MappingSearch& search,
               double most_seconds)
      : tiers_(tiers),
        request_(even),
        search_(search),
        routed_(tiers, even.phases, *even.judged_by, even.evaluate),
        most_seconds_(most_seconds) {}

  void offer(Candidate candidate) {
    MappingChoice& choice = candidate.choice;
    if (std::ranges::find(seen_, choice.mapping) != seen_.end()) return;
    seen_.push_back(choice.mapping);
    choice.score = even_score(candidate);
    if (!is_at_most(choice.score.seconds, most_seconds_)) return;
    const double limit = best_ ? *best_->choice.routed_seconds : RoutedScore::kNoLimit;
    if (is_quick(candidate)) {
      const std::vector<RoutedBound> bounds = bounds_of(candidate);
      choice.routed_seconds = routed_(choice.mapping, bounds, limit);
    } else {
      choice.routed_seconds = routed_(choice.mapping, limit);
    }
    if (best_ && !is_better_than_best(choice)) return;
    best_ = std::move(candidate);
  }

  /// Tries other orders of nodes below the same leaves. Only a hash distinguishes them.
  void reorder_best() {
    if (is_quick(*best_)) {
      (void)even_score(*best_);
      const std::vector<RoutedBound> bounds = bounds_of(*best_);
      double least = 0;
      for (std::size_t p = 0; p < bounds.size(); ++p)
        least += request_.phases[p].count * bounds[p].least;
      if (is_at_most(*best_->choice.routed_seconds, least)) return;
      if (routed_.leaf_router()->is_stateless()) return spread(bounds);
    }
    shift();
  }
  [[nodiscard]] const MappingChoice& best() const { return best_->choice; }
  /// Whether the routed time of the best mapping is noticeably longer than that of its busiest
  /// links with evenly spread traffic.
  [[nodiscard]] bool waits_for_uplinks() const {
    return !is_at_most(*best_->choice.routed_seconds, best_->choice.score.seconds * kNoticeable);
  }

 private:
  [[nodiscard]] bool is_better_than_best(const MappingChoice& choice) const {
    const double now = *choice.routed_seconds, before = *best_->choice.routed_seconds;
    if (!is_at_most(now, before)) return false;
    return !is_at_most(before, now) || is_better(choice.score, best_->choice.score);
  }

  [[nodiscard]] MappingScore even_score(const Candidate& candidate) {
    if (candidate.parts != nullptr)
      return search_.loads_of(*candidate.parts).place(candidate.nodes);
    if (!evaluator_) evaluator_.emplace(tiers_, request_.phases, request_.evaluate);
    return evaluator_->score(candidate.choice.mapping);
  }

  // Routing ignores the load of other jobs. The bounds of the search include it.
  [[nodiscard]] bool is_quick(const Candidate& candidate) {
    return candidate.parts != nullptr && request_.evaluate.available.empty() &&
           request_.evaluate.left_of_links.empty() &&
           routed_.is_quick_from(candidate.nodes.front());
  }

  // Requires that even_score() has placed the candidate.
  [[nodiscard]] std::vector<RoutedBound> bounds_of(const Candidate& candidate) {
    const UnitLoads& loads = search_.loads_of(*candidate.parts);
    std::vector<RoutedBound> bounds;
    for (std::size_t p = 0; p < loads.phase_count(); ++p) {
      const PhaseFloor& floor = candidate.parts->floors[p];
      const double below = std::max(floor.node, floor.port * routed_.payload());
      const double uplink = loads.busiest_uplink(p) * routed_.payload();
      bounds.push_back({below, std::max(below, uplink), uplink == 0});
    }
    return bounds;
  }

  void spread(std::span<const RoutedBound> bounds) {
    const std::size_t flows = best_->parts->traffic.rank_count() * bounds.size();
    const CollisionOptions options{.routes = std::max(kLeastRoutes, kRoutesPerFlow * flows),
                                   .seed = request_.seed,
                                   .pxn = request_.evaluate.pxn};
    Candidate other = *best_;
    other.nodes = spread_collisions(tiers_, request_.phases, *routed_.leaf_router(), *other.parts,
                                    other.nodes, bounds, options);
    other.choice.mapping = other.parts->traffic.mapping(tiers_, other.nodes);
    other.choice.order = to_text(other.choice.layout);  // no longer "as given"
    offer(std::move(other));
  }

  // Tries up to 8 shifts of the nodes, fewer for large jobs, which take longer to route.
  void shift() {
    const Candidate chosen = *best_;
    const std::size_t ranks = chosen.choice.mapping.size();
    const std::size_t shifts = std::clamp<std::size_t>(kRoutedRanks / ranks, 1, 8);
    for (std::size_t shift = 1; shift <= shifts; ++shift) {
      for (const NodeShift by : {NodeShift{.by = shift}, NodeShift{.more_by = shift}}) {
        Candidate other = chosen;
        other.choice.mapping = reordered_nodes(tiers_, chosen.choice.mapping, by);
        other.choice.order = to_text(other.choice.layout);
        if (other.parts != nullptr) {
          for (std::size_t r = 0; r < ranks; ++r) {
            const std::uint32_t unit = other.parts->traffic.unit_of(static_cast<std::uint32_t>(r));
            other.nodes[unit] = tiers_.gpu_position(other.choice.mapping.gpus[r]).node;
          }
        }
        offer(std::move(other));
      }
    }
  }

  const Tiers& tiers_;
  const MappingRequest& request_;
  MappingSearch& search_;
  RoutedScore routed_;
  double most_seconds_;
  std::optional<Evaluator> evaluator_;
  std::optional<Candidate> best_;
  std::vector<Mapping> seen_;
};

/// Nodes may be exchanged if they are equal in this: the shape, the leaves of the NICs, and the
/// GPUs that the job uses.
struct NodeKind {
  std::uint32_t shape = 0;
  std::vector<std::uint32_t> leaves;
  std::vector<std::uint32_t> gpus;
  auto operator<=>(const NodeKind&) const = default;
};

}  // namespace

Mapping reordered_nodes(const Tiers& tiers, const Mapping& mapping, NodeShift shift) {
  std::map<std::uint32_t, NodeKind> nodes;
  for (const Rank gpu : mapping.gpus) {
    const Tiers::GpuPosition& position = tiers.gpu_position(gpu);
    NodeKind& kind = nodes[position.node];
    kind.shape = tiers.cluster().node(NodeId(position.node)).shape;
    kind.gpus.push_back(position.gpu);
    for (const std::uint32_t nic : tiers.nics_at(position))
      kind.leaves.push_back(tiers.nic(nic).leaf);
  }
  std::map<NodeKind, std::vector<std::uint32_t>> alike;
  for (auto& [node, kind] : nodes) {
    std::ranges::sort(kind.gpus);
    std::ranges::sort(kind.leaves);
    alike[kind].push_back(node);
  }
  std::map<std::uint32_t, std::uint32_t> shifted;
  std::size_t by = shift.by;
  for (const auto& [kind, members] : alike) {
    for (std::size_t i = 0; i < members.size(); ++i)
      shifted[members[i]] = members[(i + by) % members.size()];
    by += shift.more_by;
  }
  const topology::Cluster& cluster = tiers.cluster();
  Mapping changed = mapping;
  for (Rank& gpu : changed.gpus) {
    const Tiers::GpuPosition& position = tiers.gpu_position(gpu);
    gpu = Rank(cluster.node(NodeId(shifted.at(position.node))).first_rank.value() + position.gpu);
  }
  return changed;
}

MappingChoice best_routed_mapping(const Tiers& tiers, const MappingRequest& request) {
  MappingRequest even = request;
  even.evaluate.hashed = false;
  const MappingSpace space(tiers, even);
  const std::vector<std::size_t> ranks = request.ranks_by_type();
  std::vector<std::vector<Rank>> by_tree;
  for (std::size_t t = 0; t < ranks.size(); ++t) {
    by_tree.emplace_back(request.free[t].begin(), request.free[t].end());
    std::ranges::sort(by_tree.back());
  }
  MappingSearch search(tiers, even, space, kFinalists);
  const auto best_order = [&](const GpusByType& gpus) {
    return MappingSearch(tiers, even, space).best_axis_order(gpus.first(ranks));
  };
  Candidate given = best_order(request.free), sorted = best_order(by_tree);
  RoutedChoice choice(tiers, even, search,
                      std::min(given.choice.score.seconds, sorted.choice.score.seconds));
  std::vector<Candidate> pool = search.run();
  std::size_t evaluated = search.evaluated();
  MappingRequest by_hash = request;
  by_hash.evaluate.hashed = true;
  MappingSearch hashed(tiers, by_hash, space, kFinalists);
  const auto offer_hashed = [&] {
    for (Candidate& candidate : hashed.run()) choice.offer(std::move(candidate));
    evaluated += hashed.evaluated();
  };
  // With hashed uplinks, mappings of the search with hashed uplinks are likely to be the best.
  if (request.evaluate.hashed) offer_hashed();
  pool.push_back(std::move(given));
  pool.push_back(std::move(sorted));
  for (Candidate& candidate : pool) choice.offer(std::move(candidate));
  // Otherwise they may also be better, because they send less over uplinks. They are tried if
  // uplinks limit the best mapping.
  if (!request.evaluate.hashed && choice.waits_for_uplinks()) offer_hashed();
  choice.reorder_best();
  MappingChoice best = choice.best();
  best.evaluated = evaluated;
  return best;
}

}  // namespace railyard::placement
