#include "apps/place/outlooks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/diagnostic.hpp"
#include "placement/search.hpp"

namespace railyard::apps {
namespace {

using placement::Objective;

Objective objective_of(const ObjectiveFlags& flags) {
  static constexpr std::array<std::pair<std::string_view, Objective>, 4> kNames{
      {{"time", Objective::time},
       {"days", Objective::days},
       {"cost", Objective::cost},
       {"energy", Objective::energy}}};
  for (const auto& [name, objective] : kNames)
    if (name == flags.objective) return objective;
  return Objective::time;
}

placement::Rates rates_of(const ObjectiveFlags& flags) {
  return {.price_per_gpu_hour = flags.price,
          .gpu_watts = flags.gpu_power,
          .idle_watts = flags.idle_power < 0 ? flags.gpu_power : flags.idle_power,
          .host_watts = flags.host_power,
          .pue = flags.pue};
}

double tokens_of(const ObjectiveFlags& flags, const placement::Job& job) {
  const double tokens = flags.tokens.value_or(job.tokens);
  if (!(tokens > 0))
    throw InputError("", "--objective", fmt::format("{} does not say how many tokens", job.name),
                     "--tokens 300e9");
  return tokens;
}

CountOutlook outlook_on(const PlaceFlags& flags, Question& q, int gpus) {
  const placement::SearchSpace space{
      .gpus = gpus, .top = 1, .overlap = !flags.no_overlap, .offload = flags.offload};
  const placement::SearchResult found = placement::search(q.context(), space);
  if (found.best.empty()) return {};
  const ObjectiveFlags& o = flags.objective;
  const placement::Outlook outlook =
      placement::outlook(q.job, found.best.front(), tokens_of(o, q.job), rates_of(o));
  return {.best = found.best.front(),
          .outlook = outlook,
          .allowed = o.max_days <= 0 || outlook.days <= o.max_days};
}

RowValue if_known(const std::optional<double>& value) {
  return value ? RowValue(*value) : RowValue();
}

constexpr ColumnStyle kWhole{.decimals = 0}, kOne{.decimals = 1}, kTwo{.decimals = 2},
    kThree{.decimals = 3};
using Row = CountOutlook;

constexpr std::array<Column<Row>, 9> kColumns{{
    {"gpus", [](const Row& r) -> RowValue { return std::int64_t{r.best.strategy.gpus()}; }},
    {"iteration_s", [](const Row& r) -> RowValue { return r.best.step.total.seconds(); }, kThree},
    {"days", [](const Row& r) -> RowValue { return r.outlook.days; }, kOne},
    {"gpu_hours", [](const Row& r) -> RowValue { return r.outlook.gpu_hours; }, kWhole},
    {"cost", [](const Row& r) { return if_known(r.outlook.cost); }, kWhole},
    {"energy_MWh", [](const Row& r) { return if_known(r.outlook.energy_MWh); }, kOne},
    {"power_MW", [](const Row& r) { return if_known(r.outlook.power_MW); }, kTwo},
    {"within_limits", [](const Row& r) -> RowValue { return r.allowed; }},
    {"strategy", [](const Row& r) -> RowValue { return placement::to_text(r.best.strategy); }},
}};

}  // namespace

std::vector<CountOutlook> choose_gpus(const PlaceFlags& flags, Question& q, Context&) {
  const Objective objective = objective_of(flags.objective);
  if (flags.objective.objective.empty() || objective == Objective::time || flags.is_fixed())
    return {};
  std::vector<CountOutlook> counts;
  for (int gpus = q.gpus; gpus >= 1; gpus /= 2) {
    CountOutlook one = outlook_on(flags, q, gpus);
    if (one.outlook.steps <= 0) break;
    (void)placement::value_of(objective, one.best, one.outlook);
    counts.push_back(std::move(one));
    if (gpus % 2 != 0) break;
  }
  if (counts.empty()) return counts;
  const auto value = [&](const CountOutlook& c) {
    return placement::value_of(objective, c.best, c.outlook);
  };
  CountOutlook* chosen = nullptr;
  for (CountOutlook& c : counts)
    if (c.allowed && (chosen == nullptr || value(c) < value(*chosen))) chosen = &c;
  if (chosen == nullptr)
    throw InputError(
        "", "--max-days",
        fmt::format("the fastest takes {:.1f} days",
                    std::ranges::min_element(counts, {},
                                             [](const CountOutlook& c) { return c.outlook.days; })
                        ->outlook.days),
        "more GPUs, or more days");
  chosen->chosen = true;
  q.gpus = chosen->best.strategy.gpus();
  return counts;
}

void add_outlooks(const PlaceFlags& flags, const Question& q,
                  std::span<const placement::Verified> found, std::span<const CountOutlook> counts,
                  ResultDocument& document) {
  if (flags.objective.objective.empty() || found.empty()) return;
  std::vector<CountOutlook> rows(counts.begin(), counts.end());
  if (rows.empty()) {
    const double tokens = tokens_of(flags.objective, q.job);
    for (const placement::Verified& one : found) {
      const auto outlook = placement::outlook(q.job, one.scored, tokens, rates_of(flags.objective));
      (void)placement::value_of(objective_of(flags.objective), one.scored, outlook);
      rows.push_back({.best = one.scored, .outlook = outlook});
    }
  }
  document.sections.push_back(
      {"outlook", tabulate(std::span<const Column<Row>>(kColumns), std::span<const Row>(rows))});
}

}  // namespace railyard::apps
