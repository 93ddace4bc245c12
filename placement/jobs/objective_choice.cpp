#include "placement/jobs/objective_choice.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

/// The value for a type from a list with one value for all types, or one per type.
template <class T>
std::optional<T> of_type(const std::vector<T>& values, std::size_t type, std::size_t types,
                         const char* flag) {
  if (values.empty()) return std::nullopt;
  if (values.size() == 1) return values.front();
  if (values.size() != types)
    throw InputError("", flag, fmt::format("{} values for {} types of GPU", values.size(), types),
                     "one for all, or one for each in the order of the cluster's groups");
  return values[type];
}

Rates rates_of(const ObjectiveChoice& choice, const Processor& gpu, std::size_t type,
               std::size_t types) {
  double watts = of_type(choice.gpu_watts, type, types, "--gpu-power").value_or(0);
  double price = of_type(choice.prices, type, types, "--price").value_or(Money{}).amount;
  if (choice.is(Objective::energy) && !(watts > 0)) watts = gpu.power.watts();
  if (choice.is(Objective::cost) && !(price > 0) && gpu.price) price = gpu.price->per_hour;
  return {.price_per_gpu_hour = price,
          .gpu_watts = watts,
          .idle_watts = of_type(choice.idle_watts, type, types, "--idle-power").value_or(watts),
          .host_watts = choice.host_watts,
          .pue = choice.pue};
}

double tokens_of(const ObjectiveChoice& choice, const Job& job) {
  const double tokens = choice.tokens.value_or(job.tokens);
  if (!(tokens > 0) && choice.objective.value_or(Objective::time) != Objective::time)
    throw InputError("", "--objective",
                     fmt::format("{} does not give a number of tokens", job.name),
                     "--tokens 300e9");
  return tokens;
}

}  // namespace

Goal goal_of(const ObjectiveChoice& choice, const PlaceProblem& problem) {
  Goal goal{.objective = choice.objective.value_or(Objective::time),
            .tokens = tokens_of(choice, problem.job),
            .most_days = choice.most_days};
  for (std::size_t t = 0; t < problem.types.size(); ++t)
    goal.rates.push_back(rates_of(choice, problem.types[t].gpu, t, problem.types.size()));
  return goal;
}

std::optional<double> steps_to_tokens(const ObjectiveChoice& choice, const Job& job) {
  const double tokens = choice.tokens.value_or(job.tokens);
  if (!(tokens > 0)) return std::nullopt;
  return tokens / (static_cast<double>(job.batch) * job.sequence);
}

std::string currency_of(const ObjectiveChoice& choice, const PlaceProblem& problem) {
  if (!choice.is(Objective::cost)) return {};
  std::vector<Money> prices = choice.prices;
  if (prices.empty())
    for (const GpuType& type : problem.types)
      if (type.gpu.price) prices.push_back({type.gpu.price->per_hour, type.gpu.price->currency});
  const core::Parsed<std::string> currency = core::common_currency(prices);
  if (!currency.value)
    throw InputError("", "--price", currency.error, "one currency for all types of GPU");
  return *currency.value;
}

std::vector<std::string> rate_notes(const ObjectiveChoice& choice, const PlaceProblem& problem) {
  std::vector<std::string> notes;
  if (const std::string currency = currency_of(choice, problem);
      !currency.empty() && !choice.prices.empty())
    notes.push_back(fmt::format("cost: in {}, the currency of --price", currency));
  for (const GpuType& type : problem.types) {
    const Processor& gpu = type.gpu;
    if (choice.is(Objective::cost) && choice.prices.empty() && gpu.price)
      notes.push_back(fmt::format(
          "price: {} {} per GPU-hour, from the config of {} ({}); set yours with --price",
          gpu.price->per_hour, gpu.price->currency, gpu.gpu.name, gpu.price->source));
    if (choice.is(Objective::energy) && choice.gpu_watts.empty() && gpu.power > Power())
      notes.push_back(fmt::format(
          "power: {} per GPU{}, the limit of its data sheet{}{}; set yours with --gpu-power",
          core::to_text(gpu.power), problem.types.size() > 1 ? " (" + gpu.gpu.name + ")" : "",
          choice.idle_watts.empty() ? ", also while it waits" : "",
          choice.host_watts > 0 ? "" : ", and 0 for its host"));
  }
  return notes;
}

}  // namespace railyard::placement
