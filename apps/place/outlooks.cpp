#include "apps/place/outlooks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "apps/place/interruptible.hpp"
#include "apps/place/search_space.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using placement::Objective;

/// The value of a flag for a type: the only one, or that type's.
std::optional<double> of_type(const std::vector<double>& values, std::size_t type,
                              std::size_t types, const char* flag) {
  if (values.empty()) return std::nullopt;
  if (values.size() == 1) return values.front();
  if (values.size() != types)
    throw InputError("", flag, fmt::format("{} values for {} types of GPU", values.size(), types),
                     "one for all, or one for each in the order of the cluster's groups");
  return values[type];
}

}  // namespace

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

placement::Rates rates_of(const ObjectiveFlags& flags, const placement::Processor& gpu,
                          std::size_t type, std::size_t types) {
  const Objective objective = objective_of(flags);
  double watts = of_type(flags.gpu_power, type, types, "--gpu-power").value_or(0);
  double price = of_type(flags.price, type, types, "--price").value_or(0);
  if (objective == Objective::energy && !(watts > 0)) watts = gpu.power.watts();
  if (objective == Objective::cost && !(price > 0) && gpu.price) price = gpu.price->per_hour;
  return {.price_per_gpu_hour = price,
          .gpu_watts = watts,
          .idle_watts = of_type(flags.idle_power, type, types, "--idle-power").value_or(watts),
          .host_watts = flags.host_power,
          .pue = flags.pue};
}

double tokens_of(const ObjectiveFlags& flags, const placement::Job& job) {
  const double tokens = flags.tokens.value_or(job.tokens);
  if (!(tokens > 0) && objective_of(flags) != Objective::time)
    throw InputError("", "--objective", fmt::format("{} does not say how many tokens", job.name),
                     "--tokens 300e9");
  return tokens;
}

namespace {

bool is_allowed(const ObjectiveFlags& flags, const placement::Outlook& outlook) {
  return flags.max_days <= 0 || outlook.days <= flags.max_days;
}

std::optional<CountOutlook> outlook_on(const PlaceFlags& flags, Question& q, int gpus,
                                       Context& context) {
  placement::SearchSpace space = search_space(flags, gpus, 1);
  const std::string what = fmt::format("searching {} GPUs, a batch of {}:", gpus, q.job.batch);
  space.keep_going = watch(context, what);
  const placement::SearchResult found = placement::search(q.context(), space);
  wipe(context);
  if (found.best.empty()) return std::nullopt;
  const ObjectiveFlags& o = flags.objective;
  const placement::Outlook outlook =
      placement::outlook(q.job, found.best.front(), tokens_of(o, q.job), rates_of(o, q.gpu));
  return CountOutlook{.best = found.best.front(),
                      .outlook = outlook,
                      .batch = q.job.batch,
                      .allowed = is_allowed(o, outlook)};
}

/// What the objective makes smallest; by time that of a sequence, so that batches compare.
double value_in(Objective objective, const CountOutlook& c) {
  const double value = placement::value_of(objective, c.best, c.outlook);
  return objective == Objective::time ? value / c.batch : value;
}

RowValue if_known(const std::optional<double>& value) {
  return value ? RowValue(*value) : RowValue();
}

constexpr ColumnStyle kWhole{.decimals = 0}, kOne{.decimals = 1}, kTwo{.decimals = 2},
    kThree{.decimals = 3};
using Row = CountOutlook;

/// Nothing where no tokens are known.
template <auto member>
RowValue of_tokens(const Row& r) {
  return r.outlook.steps > 0 ? RowValue(r.outlook.*member) : RowValue();
}

constexpr std::array<Column<Row>, 10> kColumns{{
    {"batch",
     [](const Row& r) -> RowValue { return std::int64_t{r.batch}; },
     {.joins_heading = true}},
    {"gpus", [](const Row& r) -> RowValue { return std::int64_t{r.best.strategy.gpus()}; }},
    {"iteration_s", [](const Row& r) -> RowValue { return r.best.step.total.seconds(); }, kThree},
    {"days", of_tokens<&placement::Outlook::days>, kOne},
    {"gpu_hours", of_tokens<&placement::Outlook::gpu_hours>, kWhole},
    {"cost", [](const Row& r) { return if_known(r.outlook.cost); }, kWhole},
    {"energy_MWh", [](const Row& r) { return if_known(r.outlook.energy_MWh); }, kOne},
    {"power_MW", [](const Row& r) { return if_known(r.outlook.power_MW); }, kTwo},
    {"within_limits", [](const Row& r) -> RowValue { return r.allowed; }},
    {"strategy",
     [](const Row& r) -> RowValue {
       return r.text.empty() ? placement::to_text(r.best.strategy) : r.text;
     }},
}};

}  // namespace

std::vector<int> batches_of(const PlaceFlags& flags, const placement::Job& job) {
  std::vector<int> batches{job.batch};
  if (!flags.batch) batches.insert(batches.end(), job.batches.begin(), job.batches.end());
  if (flags.max_batch) {
    for (std::int64_t b = 2LL * job.batch; b <= *flags.max_batch; b *= 2)
      batches.push_back(static_cast<int>(b));
    std::erase_if(batches, [&](int b) { return b > *flags.max_batch; });
  }
  std::ranges::sort(batches);
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  if (batches.empty())
    throw InputError(
        "", "--max-batch",
        fmt::format("{} is below the batch of {}, {}", *flags.max_batch, job.name, job.batch),
        "a smaller batch: --batch");
  return batches;
}

std::vector<CountOutlook> choose_gpus(const PlaceFlags& flags, Question& q, Context& context) {
  const Objective objective = objective_of(flags.objective);
  if (flags.is_fixed()) return {};
  const std::vector<int> batches = batches_of(flags, q.job);
  if (objective == Objective::time && batches.size() == 1) {
    q.job.batch = batches.front();
    return {};
  }
  const int before = q.job.batch;
  std::vector<CountOutlook> counts;
  for (const int batch : batches) {
    q.job.batch = batch;
    for (int gpus = q.gpus; gpus >= 1 && !was_interrupted(); gpus /= 2) {
      std::optional<CountOutlook> one = outlook_on(flags, q, gpus, context);
      if (!one) break;
      (void)placement::value_of(objective, one->best, one->outlook);
      counts.push_back(std::move(*one));
      if (objective == Objective::time || gpus % 2 != 0) break;
    }
  }
  q.job.batch = before;
  if (was_interrupted())
    print_note(context, fmt::format("stopped: {} of the batches and numbers of GPUs were searched",
                                    counts.size()));
  if (counts.empty()) return counts;
  CountOutlook* chosen = nullptr;
  for (CountOutlook& c : counts)
    if (c.allowed && (chosen == nullptr || value_in(objective, c) < value_in(objective, *chosen)))
      chosen = &c;
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
  q.job.batch = chosen->batch;
  return counts;
}

const placement::Scored* chosen_of(std::span<const CountOutlook> counts) {
  const auto chosen = std::ranges::find_if(counts, &CountOutlook::chosen);
  return chosen == counts.end() ? nullptr : &chosen->best;
}

std::vector<std::string> rate_notes(const PlaceFlags& flags, const Question& q) {
  const ObjectiveFlags& o = flags.objective;
  std::vector<std::string> notes;
  for (const placement::GpuType& type : q.types) {
    const placement::Processor& gpu = type.gpu;
    if (objective_of(o) == Objective::cost && o.price.empty() && gpu.price)
      notes.push_back(fmt::format("{} {} a GPU-hour, of the config of {} ({}); --price has yours",
                                  gpu.price->per_hour, gpu.price->currency, gpu.gpu.name,
                                  gpu.price->source));
    if (objective_of(o) == Objective::energy && o.gpu_power.empty() && gpu.power > Power())
      notes.push_back(
          fmt::format("{} a GPU{}, the limit of its data sheet{}{}; --gpu-power has yours",
                      core::to_text(gpu.power), q.types.size() > 1 ? " (" + gpu.gpu.name + ")" : "",
                      o.idle_power.empty() ? ", waiting or not" : "",
                      o.host_power > 0 ? "" : ", nothing for its host"));
  }
  return notes;
}

RowTable tabulate_outlooks(std::span<const CountOutlook> rows) {
  return tabulate(std::span<const Column<Row>>(kColumns), rows);
}

bool add_outlooks(const PlaceFlags& flags, const Question& q,
                  std::span<const placement::Verified> found, std::span<const CountOutlook> counts,
                  ResultDocument& document) {
  if (found.empty() || (flags.objective.objective.empty() && counts.empty())) return true;
  std::vector<CountOutlook> rows(counts.begin(), counts.end());
  if (rows.empty()) {
    const double tokens = tokens_of(flags.objective, q.job);
    for (const placement::Verified& one : found) {
      const auto outlook =
          placement::outlook(q.job, one.scored, tokens, rates_of(flags.objective, q.gpu));
      (void)placement::value_of(objective_of(flags.objective), one.scored, outlook);
      rows.push_back({.best = one.scored,
                      .outlook = outlook,
                      .batch = q.job.batch,
                      .allowed = is_allowed(flags.objective, outlook)});
    }
  }
  document.sections.push_back({"outlook", tabulate_outlooks(rows)});
  return !counts.empty() || rows.front().allowed;
}

}  // namespace railyard::apps
