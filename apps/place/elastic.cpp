#include "apps/place/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "apps/output/result_output.hpp"
#include "apps/place/emit.hpp"
#include "apps/place/mixed.hpp"
#include "apps/place/mixed_elastic.hpp"
#include "apps/place/occupancy.hpp"
#include "apps/place/question.hpp"
#include "apps/place/step_sections.hpp"
#include "core/diagnostic.hpp"
#include "placement/search/search.hpp"
#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::apps {
namespace {

using placement::Mapping;
using placement::Placed;
using placement::Strategy;

using Option = ElasticOption;

constexpr ColumnStyle kThousandths{.decimals = 3};
constexpr ColumnStyle kTenths{.decimals = 1};

constexpr std::array<Column<Option>, 9> kColumns{{
    {"option", [](const Option& o) -> RowValue { return o.name; }},
    {"gpus", [](const Option& o) -> RowValue { return std::int64_t{o.gpus}; }},
    {"iteration_s", [](const Option& o) -> RowValue { return o.step.seconds(); }, kThousandths},
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
    {"strategy", [](const Option& o) -> RowValue { return o.text; }},
}};

Mapping ordered(const Question& q, const Strategy& s, std::span<const Rank> gpus) {
  const placement::RankGrid grid = placement::strategy_grid(s);
  return placement::map_in_order(grid.ranks_in(placement::layout_in(s, q.order)),
                                 gpus.first(grid.size()));
}

/// GPUs of `left` that ranks may take, those of each old stage and tensor slice by themselves.
class Spares {
 public:
  Spares(const Placed& before, std::span<const Rank> left) : left_(left) {
    const placement::RankGrid grid = placement::strategy_grid(before.strategy);
    const std::set<Rank> alive(left.begin(), left.end());
    for (std::size_t r = 0; r < before.mapping.size(); ++r)
      if (alive.contains(before.mapping.gpus[r]))
        with_[slice_of(grid, placement::JobRank(r))].push_back(before.mapping.gpus[r]);
  }
  void take(Rank gpu) { used_.insert(gpu); }
  /// One that had the same stage and slice; none() where there is none any more.
  [[nodiscard]] Rank like(const placement::RankGrid& grid, placement::JobRank rank) {
    for (const Rank gpu : with_[slice_of(grid, rank)])
      if (used_.insert(gpu).second) return gpu;
    return Rank::none();
  }
  [[nodiscard]] Rank any() {
    while (!used_.insert(left_[next_]).second) ++next_;
    return left_[next_];
  }

 private:
  static std::pair<int, int> slice_of(const placement::RankGrid& grid, placement::JobRank rank) {
    return {grid.coordinate(rank, placement::GridAxis::pp),
            grid.coordinate(rank, placement::GridAxis::tp)};
  }
  std::span<const Rank> left_;
  std::size_t next_ = 0;
  std::set<Rank> used_;
  std::map<std::pair<int, int>, std::vector<Rank>> with_;
};

/// Ranks that still exist stay where they are if their GPU is left; of the others those whose stage
/// and tensor slice are as before take GPUs that have them, then all take what is free.
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
    if (mapping.gpus[r].is_none()) mapping.gpus[r] = spares.like(grid, placement::JobRank(r));
  for (Rank& gpu : mapping.gpus)
    if (gpu.is_none()) gpu = spares.any();
  return mapping;
}

/// The same split with as many replicas as the GPUs and the batch allow.
std::optional<Strategy> same_split(const Question& q, Strategy s, std::size_t gpus) {
  const int model = s.tp * s.pp * s.cp;
  for (s.dp = static_cast<int>(gpus) / model; s.dp >= 1; --s.dp)
    if (placement::is_valid(q.job, s, s.gpus())) return s;
  return std::nullopt;
}

/// The fastest of all strategies on all GPUs that are left, or a few nodes fewer; and where none
/// fits on any of them, what lacks the least memory.
placement::SearchResult fastest(const PlaceFlags& flags, Question& q, std::size_t gpus) {
  constexpr int kCounts = 8;
  placement::SearchResult all;
  const int node = q.gpus_per_node;
  const int most = static_cast<int>(gpus) / node;
  for (int nodes = most; nodes >= 1 && nodes > most - kCounts; --nodes) {
    const auto found = placement::search(
        q.context(),
        {.gpus = nodes * node, .top = 1, .overlap = !flags.no_overlap, .offload = flags.offload});
    if (!all.nearest) all.nearest = found.nearest;
    if (found.best.empty()) continue;
    if (all.best.empty() || found.best.front().step.total < all.best.front().step.total)
      all.best = found.best;
  }
  return all;
}

/// With what is known of the strategy alone.
Option plain_option(std::string name, const placement::Scored& scored) {
  return {.name = std::move(name),
          .gpus = scored.strategy.gpus(),
          .step = scored.step.total,
          .fits = scored.fits,
          .text = placement::to_text(scored.strategy),
          .strategy = scored.strategy};
}

Option option_of(const Question& q, std::string name, const placement::Scored& scored,
                 const Placed& before, std::span<const Rank> left) {
  Option option = plain_option(std::move(name), scored);
  const Placed stays{scored.strategy, patched(before, scored.strategy, left)};
  const Placed anew{scored.strategy, ordered(q, scored.strategy, left)};
  option.moves = placement::moves_between(q.job, q.cluster, before, stays, left);
  const placement::Moves other = placement::moves_between(q.job, q.cluster, before, anew, left);
  const bool is_anew = other.most < option.moves.most;
  if (is_anew) option.moves = other;
  option.mapping = is_anew ? anew.mapping : stays.mapping;
  const double nics = q.types.front().fabric.nics.bytes_per_second();
  option.move = Time::from_seconds(nics > 0 ? option.moves.most / nics : 0);
  return option;
}

/// What a running job that changes has no use for.
void check_flags(const PlaceFlags& flags) {
  if (!flags.is_fixed())
    throw InputError("", flags.lost.empty() ? "--added" : "--lost",
                     "needs the strategy that runs now", "--fix or --from-megatron");
  Diagnostics problems("");
  const auto refuse = [&](bool given, const char* flag) {
    if (given)
      problems.add(flag, "is not for jobs that run (--lost, --added)",
                   "--fix the strategy that is chosen, and --occupied the nodes that are lost");
  };
  refuse(flags.mapping, "--mapping");
  refuse(flags.verify.value_or(0) > 0, "--verify");
  refuse(!flags.objective.objective.empty(), "--objective");
  refuse(flags.timeline, "--timeline");
  problems.throw_if_any();
}

/// The options, slowest to start with first: as now (where nothing is lost), the same split, the
/// fastest.
std::vector<Option> options_of(const PlaceFlags& flags, Question& q, const Placed& before,
                               std::span<const Rank> left) {
  const auto now = placement::score(q.context(), before.strategy);
  std::vector<Option> options;
  if (flags.lost.empty()) {
    options.push_back(plain_option("as now", now));
    options.back().mapping = before.mapping;
  }
  if (const auto same = same_split(q, before.strategy, left.size());
      same && (!flags.lost.empty() || same->dp != before.strategy.dp))
    options.push_back(
        option_of(q, "same split", placement::score(q.context(), *same), before, left));
  const auto found = fastest(flags, q, left.size());
  if (!found.best.empty())
    options.push_back(option_of(q, "fastest", found.best.front(), before, left));
  if (options.empty())
    throw InputError(
        "", "--lost",
        fmt::format("{} GPUs are left, and no strategy fits{}", left.size(),
                    found.nearest ? fmt::format("; the nearest is {}: {}",
                                                placement::to_text(found.nearest->strategy),
                                                placement::bound_by(q.context(), *found.nearest))
                                  : ""),
        found.nearest   ? ""
        : flags.offload ? "more nodes"
                        : "more nodes, or --offload");
  return options;
}

}  // namespace

std::vector<Rank> gpus_left(const PlaceFlags& flags, const Question& q, const Mapping& before) {
  const std::vector<Rank> lost =
      flags.lost.empty() ? std::vector<Rank>{} : gpus_of(q.cluster, flags.lost, {}, "--lost");
  const std::set<Rank> own(before.gpus.begin(), before.gpus.end());
  if (!lost.empty() && std::ranges::none_of(lost, [&](Rank gpu) { return own.contains(gpu); }))
    throw InputError("", "--lost", fmt::format("the job is on none of the nodes {}", flags.lost),
                     fmt::format("it is on the first {} free GPUs", own.size()));
  std::vector<Rank> left;
  for (const Rank gpu : q.free)
    if (!std::ranges::binary_search(lost, gpu)) left.push_back(gpu);
  if (!flags.cluster.gpus) return left;
  const std::size_t most =
      own.size() + static_cast<std::size_t>(flags.added.value_or(0) * q.gpus_per_node);
  std::ranges::stable_partition(left, [&](Rank gpu) { return own.contains(gpu); });
  if (left.size() > most) left.resize(most);
  return left;
}

Question grown_question(const PlaceFlags& flags, const Question& now, Provenance& provenance) {
  PlaceFlags more = flags;
  more.cluster.nodes = static_cast<int>(now.cluster.node_count()) + flags.added.value_or(0);
  more.cluster.gpus.reset();
  return read_question(more, provenance);
}

void pay_off(const PlaceFlags& flags, std::vector<ElasticOption>& options) {
  // Against what runs on without a restart, or after it with what moves least.
  const bool is_running = flags.lost.empty();
  const Time pause = is_running ? restart_time(flags) : Time();
  for (std::size_t i = 1; i < options.size(); ++i)
    options[i].pays = placement::pays_after(options[i].move - options[0].move + pause,
                                            options[i].step, options[0].step);
}

const ElasticOption& write_options(const PlaceFlags& flags, const Provenance& provenance,
                                   std::span<const ElasticOption> options,
                                   const ElasticBefore& before, Context& context) {
  const bool prints = std::ranges::any_of(flags.emit, is_launch_format);
  if (!prints || !flags.output.json.empty() || !flags.output.csv.empty())
    write_result({.kind = "elastic",
                  .provenance = provenance,
                  .rows = tabulate(std::span<const Column<Option>>(kColumns), options)},
                 flags.output, context, prints ? Table::no : Table::yes);
  print_note(context, fmt::format("a step took {:.3f} s on {} GPUs; {} GPUs {}",
                                  before.step.seconds(), before.gpus, before.left,
                                  flags.lost.empty() ? "are there now" : "are left"));
  if (std::ranges::none_of(options, [](const Option& o) { return o.name == "same split"; }))
    print_note(context, flags.lost.empty() ? "no more replicas of the same split divide the batch"
                                           : "the same split does not fit on what is left");
  if (flags.restart.empty() && flags.lost.empty())
    print_note(context, "that a job stands still to start again is not counted: --restart TIME");
  return *std::ranges::min_element(options, {}, &Option::step);
}

int run_elastic(const PlaceFlags& flags, Context& context) {
  check_flags(flags);
  Provenance provenance{.command = context.command, .facts = {}, .configs = {}, .seed = 0};
  Question now = read_question(flags, provenance);
  if (is_mixed(flags, now)) return run_mixed_elastic(flags, now, provenance, context);
  const Strategy running = fixed_strategy(flags, now, provenance);
  const Placed before{running, ordered(now, running, now.free)};
  Provenance again;
  Question q = grown_question(flags, now, again);
  q.job = now.job;
  const std::vector<Rank> left = gpus_left(flags, q, before.mapping);
  std::vector<Option> options = options_of(flags, q, before, left);
  pay_off(flags, options);
  const Option& best = write_options(flags, provenance, options,
                                     {.step = placement::score(now.context(), running).step.total,
                                      .gpus = running.gpus(),
                                      .left = left.size()},
                                     context);
  write_step_trace(flags, q, {.scored = {.strategy = best.strategy}}, context);
  emit({.flags = flags, .question = q, .strategy = best.strategy, .mapping = best.mapping},
       context);
  return best.fits ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
