#include "apps/place/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/cli/refused_flags.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/row_values.hpp"
#include "apps/place/search_watch.hpp"
#include "apps/place/step_sections.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/elastic_options.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "placement/jobs/taken_gpus.hpp"

namespace railyard::apps {
namespace {

using placement::Mapping;
using placement::PlaceProblem;
using Option = placement::ElasticOption;

constexpr std::array<Column<Option>, 9> kColumns{{
    {"option", [](const Option& o) -> RowValue { return o.name; }},
    {"gpus", [](const Option& o) -> RowValue { return std::int64_t{o.gpus}; }},
    {"iteration_s", [](const Option& o) -> RowValue { return o.step.seconds(); }, kThousandths},
    {"moved_GB", [](const Option& o) -> RowValue { return o.moves.moved / 1e9; }, kTenths},
    {"max_node_GB", [](const Option& o) -> RowValue { return o.moves.most / 1e9; }, kTenths},
    {"checkpoint_GB", [](const Option& o) -> RowValue { return o.moves.checkpoint / 1e9; },
     kTenths},
    {"move_s", [](const Option& o) -> RowValue { return o.move.seconds(); }, kTenths},
    {"payback_s",
     [](const Option& o) -> RowValue {
       return o.payback ? RowValue(o.payback->seconds()) : RowValue(std::monostate());
     },
     kTenths},
    {"strategy", [](const Option& o) -> RowValue { return placement::to_text(o.strategy); }},
}};

/// Throws InputError: no strategy fits on the remaining GPUs.
[[noreturn]] void nothing_fits(const PlaceRequest& request, const PlaceProblem& problem,
                               std::size_t left,
                               const std::optional<placement::ScoredStrategy>& nearest) {
  std::string text = fmt::format("no strategy fits on the {} GPUs that are left", left);
  std::string hint = request.space.offload ? "more nodes" : "more nodes, or --offload";
  if (nearest) {
    text += fmt::format("; the nearest is {}: {}", placement::to_text(nearest->strategy),
                        placement::bound_by(problem.context(), *nearest));
    hint.clear();
  }
  throw InputError("", "--lost", text, hint);
}

/// The job as it ran before the change, and the number of GPUs that it may use afterwards.
struct ElasticBefore {
  Time step{};
  int gpus = 0;
  std::size_t left = 0;
};

/// The GPUs that the job may use after the change: those that are not lost; with --gpus at most as
/// many as it has plus the added ones. Throws InputError if the job does not run on a lost node.
std::vector<Rank> gpus_after(const PlaceRequest& request, const PlaceProblem& now,
                             const PlaceProblem& problem, const Mapping& before) {
  std::vector<Rank> lost;
  if (!request.lost.empty())
    lost = placement::gpus_of(problem.cluster, request.lost, {}, {.where = "--lost"});
  const auto runs_on = [&](Rank gpu) {
    return std::ranges::find(before.gpus, gpu) != before.gpus.end();
  };
  if (!lost.empty() && std::ranges::none_of(lost, runs_on))
    throw InputError("", "--lost",
                     fmt::format("the job does not use any of the nodes {}", request.lost),
                     fmt::format("it uses the first {} free GPUs", before.size()));
  std::optional<std::size_t> most;
  if (request.source.cluster.gpus) most = before.size() + problem.free().size() - now.free().size();
  return placement::gpus_left(problem, before, lost, most);
}

/// The problem on the cluster with the nodes of --added, for the same job and the same GPU types.
PlaceProblem grown_problem(const PlaceRequest& request, const PlaceProblem& now) {
  ProblemSource more = request.source;
  more.cluster.nodes = static_cast<int>(now.cluster.node_count()) + request.added.value_or(0);
  more.cluster.gpus.reset();
  Provenance again;
  PlaceProblem grown = read_problem(more, again);
  grown.job = now.job;
  if (grown.types.size() == now.types.size()) return grown;
  if (request.added)
    throw InputError("", "--added", "the cluster then has other types of GPU", "more nodes");
  return placement::with_types_of(std::move(grown), now.types);
}

/// Sets payback times and prints the options. Requires at least one. Returns the fastest.
const Option& write_options(const PlaceRequest& request, const Provenance& provenance,
                            std::span<Option> options, const ElasticBefore& before,
                            Context& context) {
  const bool runs_on = request.lost.empty();
  placement::add_payback_times(options, runs_on ? request.restart.value_or(Time()) : Time());
  write_beside_launch(
      {.kind = "elastic", .provenance = provenance, .rows = tabulate(kColumns, options)},
      request.output, request.launch, context);
  print_note(context, fmt::format("the running job takes {:.3f} s per step on {} GPUs; {} GPUs {}",
                                  before.step.seconds(), before.gpus, before.left,
                                  runs_on ? "are available now" : "are left"));
  if (std::ranges::none_of(options, [](const Option& o) { return o.name == "same split"; }))
    print_note(context, runs_on ? "no larger number of replicas of the same split divides the batch"
                                : "the same split does not fit on the GPUs that are left");
  if (!request.restart && runs_on)
    print_note(context, "payback times do not include a restart downtime: set it with --restart");
  return *std::ranges::min_element(options, {}, &Option::step);
}

}  // namespace

void check_elastic(const PlaceRequest& request) {
  if (request.given.empty())
    throw InputError("", request.lost.empty() ? "--added" : "--lost",
                     "requires the strategy of the running job", "--fix or --from-megatron");
  Diagnostics problems("");
  refuse({{request.mapping, "--mapping"},
          {request.verify.value_or(0) > 0, "--verify"},
          {request.objective.objective.has_value(), "--objective"},
          {request.timeline, "--timeline"}},
         "does not apply to running jobs (--lost, --added)",
         "first choose a strategy, then place it with --fix, and --occupied for the lost nodes",
         problems);
  problems.throw_if_any();
}

int run_elastic(const PlaceRequest& request, PlaceProblem read, Provenance& provenance,
                Context& context) {
  placement::GivenProblem given = placement::read_given(request.given, std::move(read));
  for (std::string& text : given.notes) note(provenance, context, std::move(text));
  const PlaceProblem& now = given.problem;
  if (request.added && !request.source.cluster.ranks.empty() && now.types.size() > 1)
    throw InputError("", "--added",
                     "cannot be combined with --ranks on a cluster with several types of GPU",
                     "--nodes");
  const placement::ScoredStrategy running = placement::score_given(now.context(), *given.strategy);
  const PlaceProblem problem = grown_problem(request, now);
  const placement::Placed before{
      running.strategy,
      placement::in_grown_cluster(
          placement::ordered_mapping(running.strategy, free_gpus(now.types), now.order),
          now.cluster, problem.cluster)};
  const std::vector<Rank> left = gpus_after(request, now, problem, before.mapping);
  auto found = placement::elastic_options({.problem = problem,
                                           .before = before,
                                           .left = left,
                                           .runs_on = request.lost.empty(),
                                           .space = request.space});
  if (found.options.empty()) nothing_fits(request, problem, left.size(), found.nearest);
  const Option& best = write_options(
      request, provenance, found.options,
      {.step = running.step.total, .gpus = running.strategy.gpus(), .left = left.size()}, context);
  write_step_trace(request.output, problem, {.scored = {.strategy = best.strategy}}, context);
  emit({.request = request.launch,
        .problem = problem,
        .strategy = best.strategy,
        .mapping = best.mapping},
       context);
  return best.fits ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
