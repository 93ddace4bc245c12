#include "apps/place/plan_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "apps/output/row_values.hpp"
#include "apps/place/search_watch.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using placement::PlanOption;

using Row = placement::PlanOption;

/// A column that is empty if the tokens are unknown.
template <auto member>
RowValue of_tokens(const Row& r) {
  return r.totals.steps > 0 ? RowValue(r.totals.*member) : RowValue();
}

constexpr std::array<Column<Row>, 10> kColumns{{
    {"batch", [](const Row& r) -> RowValue { return std::int64_t{r.batch}; }, kShared},
    {"gpus", [](const Row& r) -> RowValue { return std::int64_t{r.best.strategy.gpus()}; }},
    {"iteration_s", [](const Row& r) -> RowValue { return r.best.step.total.seconds(); },
     kThousandths},
    {"days", of_tokens<&placement::TrainingTotals::days>, kTenths},
    {"gpu_hours", of_tokens<&placement::TrainingTotals::gpu_hours>, kWhole},
    {"cost", [](const Row& r) { return if_known(r.totals.cost); }, kWhole},
    {"energy_MWh", [](const Row& r) { return if_known(r.totals.energy_MWh); }, kTenths},
    {"power_MW", [](const Row& r) { return if_known(r.totals.power_MW); }, kHundredths},
    {"within_limits", [](const Row& r) -> RowValue { return r.allowed; }},
    {"strategy", [](const Row& r) -> RowValue { return placement::to_text(r.best.strategy); }},
}};

/// The batches to try. Throws InputError if --max-batch leaves none.
std::vector<int> batches_of(const PlaceRequest& request, const placement::Job& job) {
  std::vector<int> batches =
      placement::batches_to_try(job, !request.source.batch, request.max_batch);
  if (batches.empty())
    throw InputError(
        "", "--max-batch",
        fmt::format("{} is below the batch of {}, {}", *request.max_batch, job.name, job.batch),
        "a smaller batch: --batch");
  return batches;
}

}  // namespace

PlanChoice choose_plan(const PlaceRequest& request, placement::PlaceProblem problem,
                       Context& context) {
  if (!request.given.empty()) return {.problem = std::move(problem)};
  const std::vector<int> batches = batches_of(request, problem.job);
  const placement::Goal goal = placement::goal_of(request.objective, problem);
  // With several GPU types the search itself chooses the numbers of GPUs.
  const bool is_search = problem.types.size() > 1 || goal.objective == placement::Objective::time;
  if (is_search && batches.size() == 1)
    return {.problem = with_batch(std::move(problem), batches.front())};
  Provenance unused;
  const placement::SearchWatch watch = search_watch(unused, context);
  const auto keep_going = [&](int gpus, int batch, double done) {
    return watch.keep_going(fmt::format("searching {} GPUs, a batch of {}:", gpus, batch), done);
  };
  const placement::PlanResult found = placement::plan_options(
      problem,
      {.batches = batches, .goal = goal, .space = request.space, .keep_going = keep_going});
  watch.finished();
  if (found.stopped)
    print_note(context, fmt::format("stopped: {} of the batches and numbers of GPUs were searched",
                                    found.options.size()));
  if (found.options.empty()) return {.problem = std::move(problem), .stopped = found.stopped};
  const PlanOption* chosen = placement::chosen_of(found.options);
  if (chosen == nullptr) {
    const auto days = [](const PlanOption& option) { return option.totals.days; };
    throw InputError("", "--max-days",
                     fmt::format("the fastest takes {:.1f} days",
                                 days(*std::ranges::min_element(found.options, {}, days))),
                     "more GPUs, or more days");
  }
  problem = with_batch(std::move(problem), chosen->batch);
  if (problem.types.size() == 1)
    problem = with_gpus(std::move(problem), chosen->best.strategy.gpus());
  return {.problem = std::move(problem), .options = found.options, .stopped = found.stopped};
}

RowTable tabulate_plan_options(std::span<const PlanOption> options) {
  return tabulate(kColumns, options);
}

bool add_training_totals(const PlaceRequest& request, const PlanChoice& choice,
                         std::span<const placement::SimulatedStrategy> found,
                         std::span<const placement::Alternative> alternatives,
                         ResultDocument& document) {
  if (found.empty() || (!request.objective.objective && choice.options.empty())) return true;
  std::vector<PlanOption> rows = choice.options;
  if (rows.empty()) {
    const placement::Goal goal = placement::goal_of(request.objective, choice.problem);
    const auto add = [&](const placement::ScoredStrategy& scored) {
      const auto is_same = [&](const PlanOption& row) {
        return row.best.strategy == scored.strategy;
      };
      if (std::ranges::none_of(rows, is_same))
        rows.push_back(placement::plan_option(choice.problem, scored, goal));
    };
    for (const placement::SimulatedStrategy& one : found) add(one.scored);
    for (const placement::Alternative& one : alternatives) add(one.run.scored);
  }
  document.sections.push_back({"training_totals", tabulate_plan_options(rows)});
  return !choice.options.empty() || rows.front().allowed;
}

}  // namespace railyard::apps
