#include "placement/jobs/elastic_options.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {
namespace {

/// By replica: the GPU type of each stage. Empty if all ranks use one type.
std::vector<std::vector<int>> replica_types(const Strategy& s) {
  std::vector<std::vector<int>> types;
  for (const PipelineClass& one : s.classes)
    types.insert(types.end(), static_cast<std::size_t>(one.replicas), one.types);
  return types;
}

/// Identifies a rank before and after the change: its coordinates except the replica, the types of
/// its replica, and the number of earlier ranks with the same coordinates and types.
struct RankPlace {
  std::array<int, 4> at{};
  std::vector<int> types{};
  int which = 0;
  auto operator<=>(const RankPlace&) const = default;
};

/// The RankPlace of each rank.
std::vector<RankPlace> places_of(const Strategy& s, const RankGrid& grid) {
  const std::vector<std::vector<int>> types = replica_types(s);
  std::map<RankPlace, int> count;
  std::vector<RankPlace> places;
  for (std::size_t r = 0; r < grid.size(); ++r) {
    const JobRank rank(r);
    const auto at = [&](GridAxis axis) { return grid.coordinate(rank, axis); };
    const auto replica =
        static_cast<std::size_t>(at(GridAxis::ep) + grid.size(GridAxis::ep) * at(GridAxis::dp));
    RankPlace place{.at = {at(GridAxis::tp), at(GridAxis::cp), at(GridAxis::ep), at(GridAxis::pp)}};
    if (!types.empty()) place.types = types[replica];
    place.which = count[place]++;
    places.push_back(std::move(place));
  }
  return places;
}

/// The remaining GPUs that no rank uses yet: by type, and by the stage and tensor slice that they
/// held.
class Spares {
 public:
  Spares(const Placed& before, const RankGrid& grid, const GpusByType& left)
      : left_(left), next_(left.size(), 0), held_(left.size()) {
    std::map<Rank, std::size_t> type_of;
    for (std::size_t t = 0; t < left.size(); ++t)
      for (const Rank gpu : left[t]) type_of[gpu] = t;
    for (std::size_t r = 0; r < before.mapping.size(); ++r) {
      const Rank gpu = before.mapping.gpus[r];
      const auto alive = type_of.find(gpu);
      if (alive != type_of.end()) held_[alive->second][slice_of(grid, JobRank(r))].push_back(gpu);
    }
  }
  void take(Rank gpu) { used_.insert(gpu); }
  /// A GPU that held the rank's stage and slice; none() if there is none.
  [[nodiscard]] Rank like(const RankGrid& grid, JobRank rank, std::size_t type) {
    for (const Rank gpu : held_[type][slice_of(grid, rank)])
      if (used_.insert(gpu).second) return gpu;
    return Rank::none();
  }
  [[nodiscard]] Rank any(std::size_t type) {
    std::size_t& next = next_[type];
    while (!used_.insert(left_[type][next]).second) ++next;
    return left_[type][next];
  }

 private:
  static std::pair<int, int> slice_of(const RankGrid& grid, JobRank rank) {
    return {grid.coordinate(rank, GridAxis::pp), grid.coordinate(rank, GridAxis::tp)};
  }
  const GpusByType& left_;
  std::vector<std::size_t> next_;
  std::set<Rank> used_;
  std::vector<std::map<std::pair<int, int>, std::vector<Rank>>> held_;
};

/// Adds replicas to the classes in turn, one at a time, until no class has GPUs for another one.
void fill_room(const CostContext& c, Strategy& s) {
  std::vector<int> blocks;  // groups of tp · cp GPUs, by type
  for (const TypeContext& type : c.types) blocks.push_back(type.gpus / (s.tp * s.cp));
  for (PipelineClass& one : s.classes) one.replicas = 0;
  for (bool more = true; more;) {
    more = false;
    for (PipelineClass& one : s.classes) {
      std::vector<int> left = blocks;
      for (int stage = 0; stage < s.pp; ++stage)
        --left[static_cast<std::size_t>(one.type_of(stage))];
      if (std::ranges::any_of(left, [](int n) { return n < 0; })) continue;
      blocks = std::move(left);
      ++one.replicas;
      more = true;
    }
  }
}

/// The same split with classes of replicas: fill_room(), then micro-batches are divided again.
std::optional<ScoredStrategy> same_classes(const CostContext& c, const Strategy& before) {
  GivenStrategy fix{.strategy = before, .given = {.pp = true}};
  std::vector<PipelineClass>& classes = fix.strategy.classes;
  for (PipelineClass& one : classes) one.micro_batches = one.fewer = 0;
  fill_room(c, fix.strategy);
  std::erase_if(classes, [](const PipelineClass& one) { return one.replicas == 0; });
  // If these replicas do not divide the experts or the batch, the last class gets one fewer.
  while (!classes.empty()) {
    const SearchResult found = search(c, {.top = 1, .fix = fix});
    if (!found.best.empty()) return found.best.front();
    if (--classes.back().replicas == 0) classes.pop_back();
  }
  return std::nullopt;
}

/// The problem on the remaining GPUs, in their order.
PlaceProblem on_gpus_left(const PlaceProblem& problem, std::span<const Rank> left) {
  PlaceProblem after = problem;
  for (GpuType& type : after.types) {
    type.free.clear();
    type.taken = -1;
  }
  for (const Rank gpu : left) {
    const std::uint32_t shape = problem.cluster.node(problem.cluster.node_of(gpu)).shape;
    std::ranges::find(after.types, shape, &GpuType::shape)->free.push_back(gpu);
  }
  return after;
}

/// The fastest strategy on the remaining GPUs; if none fits, the one that exceeds the memory least.
/// With one type a strategy uses all GPUs of the problem, so searches with up to seven nodes fewer
/// run as well. With several types one search chooses the number of GPUs.
SearchResult fastest(const SearchSpace& asked, const PlaceProblem& after) {
  constexpr int kCounts = 8;
  const CostContext context = after.context();
  SearchSpace space = asked;
  space.top = 1;
  if (after.types.size() > 1) return search(context, space);
  SearchResult all;
  const int node = after.types.front().gpus_per_node();
  const int most = after.gpus() / node;
  for (int nodes = most; nodes >= 1 && nodes > most - kCounts; --nodes) {
    space.gpus = nodes * node;
    const auto found = search(context, space);
    if (!all.nearest) all.nearest = found.nearest;
    if (found.best.empty()) continue;
    if (all.best.empty() || found.best.front().step.total < all.best.front().step.total)
      all.best = found.best;
  }
  return all;
}

/// An option without mapping and moves.
ElasticOption plain_option(std::string name, const ScoredStrategy& scored) {
  return {.name = std::move(name),
          .gpus = scored.strategy.gpus(),
          .step = scored.step.total,
          .fits = scored.fits,
          .strategy = scored.strategy};
}

/// An option with the mapping that takes less time to move to: ranks stay where possible
/// (patched_mapping), or all ranks in order.
ElasticOption option_of(const ElasticRequest& request, const PlaceProblem& after, std::string name,
                        const ScoredStrategy& scored) {
  const GpusByType left = free_gpus(after.types);
  ElasticOption option = plain_option(std::move(name), scored);
  const auto measure = [&](Mapping mapping) {
    Moves moves = moves_between(after.job, after.cluster, request.before,
                                {scored.strategy, mapping}, request.left);
    const Time time = move_time(moves, after.cluster, after.types);
    const bool is_first = option.mapping.size() == 0;
    if (!is_first && std::pair(time, moves.most) >= std::pair(option.move, option.moves.most))
      return;
    option.moves = std::move(moves);
    option.mapping = std::move(mapping);
    option.move = time;
  };
  measure(patched_mapping(request.before, scored.strategy, left));
  measure(ordered_mapping(scored.strategy, left, after.order));
  return option;
}

}  // namespace

std::optional<ScoredStrategy> same_split(const CostContext& c, const Strategy& before) {
  if (!before.classes.empty()) return same_classes(c, before);
  Strategy s = before;
  for (s.dp = c.on(0).gpus / (s.tp * s.pp * s.cp); s.dp >= 1; --s.dp)
    if (is_valid(c.job, s, s.gpus())) return score(c, s);
  return std::nullopt;
}

Mapping patched_mapping(const Placed& before, const Strategy& after, const GpusByType& left) {
  const RankGrid old_grid = strategy_grid(before.strategy), grid = strategy_grid(after);
  const std::vector<RankPlace> old_places = places_of(before.strategy, old_grid);
  const std::vector<RankPlace> places = places_of(after, grid);
  const std::vector<Rank> all = left.joined();
  const std::set<Rank> alive(all.begin(), all.end());
  std::map<RankPlace, Rank> was;
  for (std::size_t r = 0; r < before.mapping.size(); ++r)
    if (alive.contains(before.mapping.gpus[r])) was[old_places[r]] = before.mapping.gpus[r];
  Mapping mapping;
  Spares spares(before, old_grid, left);
  for (const RankPlace& place : places) {
    const auto found = was.find(place);
    mapping.gpus.push_back(found == was.end() ? Rank::none() : found->second);
    if (found != was.end()) spares.take(found->second);
  }
  const std::vector<int> types = rank_types(after);
  const auto type_of = [&](std::size_t rank) { return static_cast<std::size_t>(types[rank]); };
  const Strategy& old = before.strategy;
  const bool same_slices =
      old.tp == after.tp && old.pp == after.pp && old.interleave == after.interleave;
  for (std::size_t r = 0; same_slices && r < grid.size(); ++r)
    if (mapping.gpus[r].is_none()) mapping.gpus[r] = spares.like(grid, JobRank(r), type_of(r));
  for (std::size_t r = 0; r < grid.size(); ++r)
    if (mapping.gpus[r].is_none()) mapping.gpus[r] = spares.any(type_of(r));
  return mapping;
}

ElasticResult elastic_options(const ElasticRequest& request) {
  const Strategy& running = request.before.strategy;
  const PlaceProblem after = on_gpus_left(request.problem, request.left);
  ElasticResult result;
  if (request.runs_on) {
    result.options.push_back(plain_option("as now", score(request.problem.context(), running)));
    result.options.back().mapping = request.before.mapping;
  }
  if (const auto same = same_split(after.context(), running);
      same && (!request.runs_on || same->strategy.dp != running.dp))
    result.options.push_back(option_of(request, after, "same split", *same));
  const SearchResult found = fastest(request.space, after);
  if (!found.best.empty())
    result.options.push_back(option_of(request, after, "fastest", found.best.front()));
  else
    result.nearest = found.nearest;
  return result;
}

Time move_time(const Moves& moves, const topology::Cluster& cluster,
               std::span<const GpuType> types) {
  double longest = 0;
  for (const auto& [node, bytes] : moves.by_node) {
    const GpuType* type = find_type(types, cluster.node(node).shape);
    const double nics = type == nullptr ? 0 : type->fabric.nics.bytes_per_second();
    if (nics > 0) longest = std::max(longest, bytes / nics);
  }
  return Time::from_seconds(longest);
}

std::vector<Rank> gpus_left(const PlaceProblem& problem, const Mapping& before,
                            std::span<const Rank> lost, std::optional<std::size_t> most) {
  std::vector<Rank> left;
  for (const Rank gpu : problem.free())
    if (!std::ranges::binary_search(lost, gpu)) left.push_back(gpu);
  if (!most) return left;
  const std::set<Rank> own(before.gpus.begin(), before.gpus.end());
  std::ranges::stable_partition(left, [&](Rank gpu) { return own.contains(gpu); });
  if (left.size() > *most) left.resize(*most);
  return left;
}

namespace {

/// By shape: the nodes, in order.
std::vector<std::vector<NodeId>> nodes_by_shape(const topology::Cluster& cluster) {
  std::vector<std::vector<NodeId>> nodes(cluster.shapes().size());
  for (std::size_t n = 0; n < cluster.node_count(); ++n)
    nodes[cluster.node(NodeId(n)).shape].emplace_back(n);
  return nodes;
}

}  // namespace

Mapping in_grown_cluster(const Mapping& mapping, const topology::Cluster& before,
                         const topology::Cluster& after) {
  const auto old_nodes = nodes_by_shape(before), nodes = nodes_by_shape(after);
  Mapping grown;
  for (const Rank gpu : mapping.gpus) {
    const NodeId node = before.node_of(gpu);
    const std::uint32_t shape = before.node(node).shape;
    const auto at = std::ranges::lower_bound(old_nodes[shape], node) - old_nodes[shape].begin();
    const NodeId now = nodes[shape][static_cast<std::size_t>(at)];
    grown.gpus.emplace_back(after.node(now).first_rank.value() +
                            static_cast<std::uint32_t>(before.local_gpu(gpu)));
  }
  return grown;
}

void add_payback_times(std::span<ElasticOption> options, Time restart) {
  for (std::size_t i = 1; i < options.size(); ++i)
    options[i].payback =
        payback_time(options[i].move - options[0].move + restart, options[i].step, options[0].step);
}

}  // namespace railyard::placement
