#include "placement/mapping/judge.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "placement/mapping/routed_score.hpp"

namespace railyard::placement {
namespace {

/// Ranks whose flows are routed to try other orders of nodes (about a quarter of the judge's time).
constexpr std::size_t kRoutedRanks = 16'384;

bool is_at_most(double a, double b) { return a <= b * (1 + 1e-9); }

/// Keeps the best of what it is offered: what is above `most_seconds` in its busiest links counts
/// for nothing.
class Judge {
 public:
  Judge(const Tiers& tiers, const MappingRequest& even, double most_seconds)
      : evaluator_(tiers, even.phases, even.evaluate),
        routed_(tiers, even.phases, *even.judged_by, even.evaluate),
        most_seconds_(most_seconds) {}

  void offer(MappingChoice choice) {
    if (std::ranges::find(seen_, choice.mapping) != seen_.end()) return;
    seen_.push_back(choice.mapping);
    choice.score = evaluator_.score(choice.mapping);
    if (!is_at_most(choice.score.seconds, most_seconds_)) return;
    choice.routed_seconds =
        best_ ? routed_(choice.mapping, *best_->routed_seconds) : routed_(choice.mapping);
    if (best_ && !is_better_than_best(choice)) return;
    best_ = std::move(choice);
  }
  [[nodiscard]] const MappingChoice& best() const { return *best_; }

 private:
  [[nodiscard]] bool is_better_than_best(const MappingChoice& choice) const {
    const double now = *choice.routed_seconds, before = *best_->routed_seconds;
    if (!is_at_most(now, before)) return false;
    return !is_at_most(before, now) || is_better(choice.score, best_->score);
  }

  Evaluator evaluator_;
  RoutedScore routed_;
  double most_seconds_;
  std::optional<MappingChoice> best_;
  std::vector<Mapping> seen_;
};

/// What a node is exchanged by: the leaves of its NICs, and the GPUs that the job has there.
struct NodeKind {
  std::vector<std::uint32_t> leaves;
  std::vector<std::uint32_t> gpus;
  auto operator<=>(const NodeKind&) const = default;
};

}  // namespace

Mapping reordered_nodes(const Tiers& tiers, const Mapping& mapping, NodeShift shift) {
  std::map<std::uint32_t, NodeKind> nodes;
  for (const Rank gpu : mapping.gpus) {
    const Tiers::Seat& seat = tiers.seat(gpu);
    NodeKind& kind = nodes[seat.node];
    kind.gpus.push_back(seat.gpu);
    for (const std::uint32_t nic : tiers.seat_nics(seat))
      kind.leaves.push_back(tiers.nic(nic).leaf);
  }
  std::map<NodeKind, std::vector<std::uint32_t>> alike;
  for (auto& [node, kind] : nodes) {
    std::ranges::sort(kind.gpus);
    std::ranges::sort(kind.leaves);
    alike[kind].push_back(node);
  }
  std::map<std::uint32_t, std::uint32_t> instead;
  std::size_t by = shift.by;
  for (const auto& [kind, members] : alike) {
    for (std::size_t i = 0; i < members.size(); ++i)
      instead[members[i]] = members[(i + by) % members.size()];
    by += shift.more_by;
  }
  const topology::Cluster& cluster = tiers.cluster();
  Mapping changed = mapping;
  for (Rank& gpu : changed.gpus) {
    const Tiers::Seat& seat = tiers.seat(gpu);
    gpu = Rank(cluster.node(NodeId(instead.at(seat.node))).first_rank.value() + seat.gpu);
  }
  return changed;
}

MappingChoice judged_mapping(const Tiers& tiers, const MappingRequest& request) {
  MappingRequest even = request;
  even.evaluate.hashed = false;
  const MappingChoice given = best_axis_order(tiers, even);
  std::vector<Rank> by_tree(request.free.begin(), request.free.end());
  std::ranges::sort(by_tree);
  even.free = by_tree;
  const MappingChoice sorted = best_axis_order(tiers, even);
  even.free = request.free;
  Judge judge(tiers, even, std::min(given.score.seconds, sorted.score.seconds));
  judge.offer(given);
  judge.offer(sorted);
  std::size_t evaluated = given.evaluated + sorted.evaluated;
  const auto search = [&](const MappingRequest& asked) {
    for (MappingChoice& choice : mapping_finalists(tiers, asked)) {
      evaluated += choice.evaluated;
      judge.offer(std::move(choice));
    }
  };
  search(even);
  if (request.evaluate.hashed) search(request);
  const MappingChoice chosen = judge.best();
  // Of small jobs more orders are tried than of large ones, which take longer to route.
  const std::size_t shifts = std::clamp<std::size_t>(kRoutedRanks / request.grid->size(), 1, 8);
  for (std::size_t shift = 1; shift <= shifts; ++shift) {
    for (const NodeShift by : {NodeShift{.by = shift}, NodeShift{.more_by = shift}}) {
      MappingChoice other = chosen;
      other.mapping = reordered_nodes(tiers, chosen.mapping, by);
      judge.offer(std::move(other));
    }
  }
  MappingChoice best = judge.best();
  best.evaluated = evaluated;
  return best;
}

}  // namespace railyard::placement
