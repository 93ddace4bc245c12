#include "apps/place/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "apps/place/occupancy.hpp"
#include "apps/place/question.hpp"
#include "apps/result_output.hpp"
#include "core/diagnostic.hpp"
#include "placement/elastic.hpp"
#include "placement/search.hpp"
#include "placement/strategy_check.hpp"
#include "placement/strategy_groups.hpp"

namespace railyard::apps {
namespace {

using placement::Mapping;
using placement::Placed;
using placement::Strategy;

struct Option {
  std::string name;
  placement::Scored scored;
  placement::Moves moves;
  Time move;
  std::optional<Time> pays;
};

constexpr ColumnStyle kThousandths{.decimals = 3};
constexpr ColumnStyle kTenths{.decimals = 1};

constexpr std::array<Column<Option>, 9> kColumns{{
    {"option", [](const Option& o) -> RowValue { return o.name; }},
    {"gpus", [](const Option& o) -> RowValue { return std::int64_t{o.scored.strategy.gpus()}; }},
    {"iteration_s", [](const Option& o) -> RowValue { return o.scored.step.total.seconds(); },
     kThousandths},
    {"moved_GB", [](const Option& o) -> RowValue { return o.moves.moved / 1e9; }, kTenths},
    {"most_GB", [](const Option& o) -> RowValue { return o.moves.most / 1e9; }, kTenths},
    {"checkpoint_GB", [](const Option& o) -> RowValue { return o.moves.checkpoint / 1e9; },
     kTenths},
    {"move_s", [](const Option& o) -> RowValue { return o.move.seconds(); }, kTenths},
    {"pays_after_s",
     [](const Option& o) -> RowValue {
       return o.pays ? RowValue(o.pays->seconds()) : RowValue(std::monostate());
     },
     kTenths},
    {"strategy", [](const Option& o) -> RowValue { return placement::to_text(o.scored.strategy); }},
}};

Mapping ordered(const Question& q, const Strategy& s, std::span<const Rank> gpus) {
  const placement::RankGrid grid = placement::strategy_grid(s);
  return placement::map_in_order(grid.ranks_in(placement::layout_in(s, q.order)),
                                 gpus.first(grid.size()));
}

/// Ranks that still exist stay where they are if their GPU is left; the others take what is free.
Mapping patched(const Placed& before, const Strategy& after, std::span<const Rank> left) {
  using placement::GridAxis;
  const placement::RankGrid old_grid = placement::strategy_grid(before.strategy),
                            grid = placement::strategy_grid(after);
  const auto place_of = [](const placement::RankGrid& g, std::size_t r) {
    const placement::JobRank rank(r);
    return std::array{g.coordinate(rank, GridAxis::tp), g.coordinate(rank, GridAxis::cp),
                      g.coordinate(rank, GridAxis::ep), g.coordinate(rank, GridAxis::dp),
                      g.coordinate(rank, GridAxis::pp)};
  };
  const std::set<Rank> alive(left.begin(), left.end());
  std::map<std::array<int, 5>, Rank> was;
  for (std::size_t r = 0; r < before.mapping.size(); ++r)
    if (alive.contains(before.mapping.gpus[r])) was[place_of(old_grid, r)] = before.mapping.gpus[r];
  Mapping mapping;
  std::set<Rank> used;
  for (std::size_t r = 0; r < grid.size(); ++r) {
    const auto found = was.find(place_of(grid, r));
    mapping.gpus.push_back(found == was.end() ? Rank::none() : found->second);
    if (found != was.end()) used.insert(found->second);
  }
  auto next = left.begin();
  for (Rank& gpu : mapping.gpus) {
    if (!gpu.is_none()) continue;
    while (used.contains(*next)) ++next;
    gpu = *next++;
  }
  return mapping;
}

/// The same split with as many replicas as the GPUs and the batch allow.
std::optional<Strategy> same_split(const Question& q, Strategy s, std::size_t gpus) {
  const int model = s.tp * s.pp * s.cp;
  for (s.dp = static_cast<int>(gpus) / model; s.dp >= 1; --s.dp)
    if (placement::is_valid(q.job, s, s.gpus())) return s;
  return std::nullopt;
}

/// The fastest of all strategies on all GPUs that are left, or a few nodes fewer.
std::optional<placement::Scored> fastest(const PlaceFlags& flags, Question& q, std::size_t gpus) {
  constexpr int kCounts = 8;
  std::optional<placement::Scored> best;
  const int node = q.gpus_per_node;
  const int most = static_cast<int>(gpus) / node;
  for (int nodes = most; nodes >= 1 && nodes > most - kCounts; --nodes) {
    const auto found = placement::search(
        q.context(),
        {.gpus = nodes * node, .top = 1, .overlap = !flags.no_overlap, .offload = flags.offload});
    if (found.best.empty()) continue;
    if (!best || found.best.front().step.total < best->step.total) best = found.best.front();
  }
  return best;
}

std::vector<Rank> gpus_left(const PlaceFlags& flags, const Question& q) {
  const std::vector<Rank> lost =
      flags.lost.empty() ? std::vector<Rank>{} : gpus_of(q.cluster, flags.lost, {}, "--lost");
  std::vector<Rank> left;
  for (const Rank gpu : q.free)
    if (!std::ranges::binary_search(lost, gpu)) left.push_back(gpu);
  return left;
}

Option option_of(const Question& q, std::string name, const placement::Scored& scored,
                 const Placed& before, std::span<const Rank> left) {
  Option option{.name = std::move(name), .scored = scored, .moves = {}, .move = {}, .pays = {}};
  const Placed stays{scored.strategy, patched(before, scored.strategy, left)};
  const Placed anew{scored.strategy, ordered(q, scored.strategy, left)};
  option.moves = placement::moves_between(q.job, q.cluster, before, stays, left);
  const placement::Moves other = placement::moves_between(q.job, q.cluster, before, anew, left);
  if (other.most < option.moves.most) option.moves = other;
  const double nics = placement::node_fabric(q.cluster).nics.bytes_per_second();
  option.move = Time::from_seconds(nics > 0 ? option.moves.most / nics : 0);
  return option;
}

/// The question about the cluster with the nodes that are added.
Question grown(const PlaceFlags& flags, const Question& now, Provenance& provenance) {
  PlaceFlags more = flags;
  more.cluster.nodes = static_cast<int>(now.cluster.node_count()) + flags.added.value_or(0);
  more.cluster.gpus.reset();
  return read_question(more, provenance);
}

}  // namespace

int run_elastic(const PlaceFlags& flags, Context& context) {
  if (!flags.is_fixed())
    throw InputError("", flags.lost.empty() ? "--added" : "--lost",
                     "needs the strategy that runs now", "--fix or --from-megatron");
  Provenance provenance{.command = context.command, .facts = {}, .configs = {}, .seed = 0};
  Question now = read_question(flags, provenance);
  require_one_type(now);
  const Strategy running = fixed_strategy(flags, now, provenance);
  const Placed before{running, ordered(now, running, now.free)};
  Provenance again;
  Question q = grown(flags, now, again);
  q.job = now.job;
  const std::vector<Rank> left = gpus_left(flags, q);
  std::vector<Option> options;
  const auto same = same_split(q, running, left.size());
  if (same)
    options.push_back(
        option_of(q, "same split", placement::score(q.context(), *same), before, left));
  if (const auto best = fastest(flags, q, left.size()))
    options.push_back(option_of(q, "fastest", *best, before, left));
  if (options.empty())
    throw InputError("", "--lost",
                     fmt::format("{} GPUs are left, and no strategy fits", left.size()));
  if (options.size() > 1)
    options[1].pays =
        placement::pays_after(options[1].move - options[0].move, options[1].scored.step.total,
                              options[0].scored.step.total);
  write_result({.kind = "elastic",
                .provenance = provenance,
                .rows = tabulate(std::span<const Column<Option>>(kColumns),
                                 std::span<const Option>(options))},
               flags.output, context);
  const double was = placement::score(now.context(), running).step.total.seconds();
  print_note(context, fmt::format("a step took {:.3f} s on {} GPUs; {} GPUs are left", was,
                                  running.gpus(), left.size()));
  if (!same) print_note(context, "the same split does not fit on what is left");
  return options.back().scored.fits ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
