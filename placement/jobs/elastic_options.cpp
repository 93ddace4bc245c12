#include "placement/jobs/elastic_options.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "placement/jobs/mapper.hpp"
#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {
namespace {

/// GPUs that are left and not yet given to a rank, also by the stage and tensor slice that they
/// held.
class Spares {
 public:
  Spares(const Placed& before, std::span<const Rank> left) : left_(left) {
    const RankGrid grid = strategy_grid(before.strategy);
    const std::set<Rank> alive(left.begin(), left.end());
    for (std::size_t r = 0; r < before.mapping.size(); ++r)
      if (alive.contains(before.mapping.gpus[r]))
        with_[slice_of(grid, JobRank(r))].push_back(before.mapping.gpus[r]);
  }
  void take(Rank gpu) { used_.insert(gpu); }
  /// One that held the rank's stage and slice; none() where there is none left.
  [[nodiscard]] Rank like(const RankGrid& grid, JobRank rank) {
    for (const Rank gpu : with_[slice_of(grid, rank)])
      if (used_.insert(gpu).second) return gpu;
    return Rank::none();
  }
  [[nodiscard]] Rank any() {
    while (!used_.insert(left_[next_]).second) ++next_;
    return left_[next_];
  }

 private:
  static std::pair<int, int> slice_of(const RankGrid& grid, JobRank rank) {
    return {grid.coordinate(rank, GridAxis::pp), grid.coordinate(rank, GridAxis::tp)};
  }
  std::span<const Rank> left_;
  std::size_t next_ = 0;
  std::set<Rank> used_;
  std::map<std::pair<int, int>, std::vector<Rank>> with_;
};

/// The same split with as many replicas as the GPUs and the batch allow.
std::optional<Strategy> same_split(const Job& job, Strategy s, std::size_t gpus) {
  const int model = s.tp * s.pp * s.cp;
  for (s.dp = static_cast<int>(gpus) / model; s.dp >= 1; --s.dp)
    if (is_valid(job, s, s.gpus())) return s;
  return std::nullopt;
}

/// The fastest of all strategies on all GPUs that are left, or up to seven nodes fewer; where none
/// fits, the one that exceeds the memory least.
SearchResult fastest(const ElasticRequest& request) {
  constexpr int kCounts = 8;
  SearchResult all;
  const int node = request.problem.gpus_per_node;
  const int most = static_cast<int>(request.left.size()) / node;
  for (int nodes = most; nodes >= 1 && nodes > most - kCounts; --nodes) {
    SearchSpace space = request.space;
    space.gpus = nodes * node;
    space.top = 1;
    const auto found = search(request.problem.context(), space);
    if (!all.nearest) all.nearest = found.nearest;
    if (found.best.empty()) continue;
    if (all.best.empty() || found.best.front().step.total < all.best.front().step.total)
      all.best = found.best;
  }
  return all;
}

/// Without a move.
ElasticOption plain_option(std::string name, const Scored& scored) {
  return {.name = std::move(name),
          .gpus = scored.strategy.gpus(),
          .step = scored.step.total,
          .fits = scored.fits,
          .text = to_text(scored.strategy),
          .strategy = scored.strategy};
}

/// With the mapping of two that moves less to one node: ranks stay where they can, or all in order.
ElasticOption option_of(const ElasticRequest& request, std::string name, const Scored& scored) {
  const PlaceProblem& problem = request.problem;
  ElasticOption option = plain_option(std::move(name), scored);
  const Placed stays{scored.strategy,
                     patched_mapping(request.before, scored.strategy, request.left)};
  const Placed anew{scored.strategy, ordered_mapping(scored.strategy, problem.order, request.left)};
  const auto moves_to = [&](const Placed& after) {
    return moves_between(problem.job, problem.cluster, request.before, after, request.left);
  };
  option.moves = moves_to(stays);
  const Moves other = moves_to(anew);
  const bool is_anew = other.most < option.moves.most;
  if (is_anew) option.moves = other;
  option.mapping = is_anew ? anew.mapping : stays.mapping;
  const double nics = problem.types.front().fabric.nics.bytes_per_second();
  option.move = Time::from_seconds(nics > 0 ? option.moves.most / nics : 0);
  return option;
}

}  // namespace

Mapping patched_mapping(const Placed& before, const Strategy& after, std::span<const Rank> left) {
  const RankGrid old_grid = strategy_grid(before.strategy), grid = strategy_grid(after);
  const auto place_of = [](const RankGrid& g, std::size_t r) {
    const JobRank rank(r);
    return std::array{g.coordinate(rank, GridAxis::tp), g.coordinate(rank, GridAxis::cp),
                      g.coordinate(rank, GridAxis::ep), g.coordinate(rank, GridAxis::dp),
                      g.coordinate(rank, GridAxis::pp)};
  };
  const std::set<Rank> alive(left.begin(), left.end());
  std::map<std::array<int, 5>, Rank> was;
  for (std::size_t r = 0; r < before.mapping.size(); ++r)
    if (alive.contains(before.mapping.gpus[r])) was[place_of(old_grid, r)] = before.mapping.gpus[r];
  Mapping mapping;
  Spares spares(before, left);
  for (std::size_t r = 0; r < grid.size(); ++r) {
    const auto found = was.find(place_of(grid, r));
    mapping.gpus.push_back(found == was.end() ? Rank::none() : found->second);
    if (found != was.end()) spares.take(found->second);
  }
  const Strategy& old = before.strategy;
  const bool same_slices =
      old.tp == after.tp && old.pp == after.pp && old.interleave == after.interleave;
  for (std::size_t r = 0; same_slices && r < grid.size(); ++r)
    if (mapping.gpus[r].is_none()) mapping.gpus[r] = spares.like(grid, JobRank(r));
  for (Rank& gpu : mapping.gpus)
    if (gpu.is_none()) gpu = spares.any();
  return mapping;
}

ElasticResult elastic_options(const ElasticRequest& request) {
  const CostContext context = request.problem.context();
  const Strategy& running = request.before.strategy;
  ElasticResult result;
  if (request.runs_on) {
    result.options.push_back(plain_option("as now", score(context, running)));
    result.options.back().mapping = request.before.mapping;
  }
  if (const auto same = same_split(request.problem.job, running, request.left.size());
      same && (!request.runs_on || same->dp != running.dp))
    result.options.push_back(option_of(request, "same split", score(context, *same)));
  const SearchResult found = fastest(request);
  if (!found.best.empty())
    result.options.push_back(option_of(request, "fastest", found.best.front()));
  else
    result.nearest = found.nearest;
  return result;
}

std::vector<Rank> gpus_left(const PlaceProblem& problem, const Mapping& before,
                            std::span<const Rank> lost, std::optional<std::size_t> most) {
  std::vector<Rank> left;
  for (const Rank gpu : problem.free)
    if (!std::ranges::binary_search(lost, gpu)) left.push_back(gpu);
  if (!most) return left;
  const std::set<Rank> own(before.gpus.begin(), before.gpus.end());
  std::ranges::stable_partition(left, [&](Rank gpu) { return own.contains(gpu); });
  if (left.size() > *most) left.resize(*most);
  return left;
}

void add_payback_times(std::span<ElasticOption> options, Time restart) {
  for (std::size_t i = 1; i < options.size(); ++i)
    options[i].payback =
        payback_time(options[i].move - options[0].move + restart, options[i].step, options[0].step);
}

}  // namespace railyard::placement
