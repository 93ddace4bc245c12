#include "apps/place/objective.hpp"

#include <fmt/format.h>

#include <array>

#include "core/diagnostic.hpp"
#include "core/money.hpp"

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

/// The value of a flag for a type: the only one, or that type's.
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

/// The amounts of --price.
std::vector<Money> prices_of(const ObjectiveFlags& flags) {
  static constexpr const char* kExample = "--price 2.5, '$2.5' or '2.5 EUR'";
  std::vector<Money> prices;
  for (const std::string& text : flags.price) {
    const core::Parsed<Money> price = core::parse_money(text, "");
    if (!price.value) throw InputError("", "--price", price.error, kExample);
    if (!(price.value->amount > 0))
      throw InputError("", "--price", fmt::format("'{}' is not above 0", text), kExample);
    prices.push_back(*price.value);
  }
  return prices;
}

placement::Rates rates_of(const ObjectiveFlags& flags, const placement::Processor& gpu,
                          std::size_t type, std::size_t types) {
  const Objective objective = objective_of(flags);
  double watts = of_type(flags.gpu_power, type, types, "--gpu-power").value_or(0);
  double price = of_type(prices_of(flags), type, types, "--price").value_or(Money{}).amount;
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
    throw InputError("", "--objective",
                     fmt::format("{} does not give a number of tokens", job.name),
                     "--tokens 300e9");
  return tokens;
}

}  // namespace

void add_objective_flags(FlagSet app, ObjectiveFlags& flags) {
  const char* group = "Objective";
  const Flag objective =
      app.add_option(
             "--objective", flags.objective,
             "Value to minimise: time of a step on all GPUs, or days, cost or energy of the whole "
             "training. The last three also try a half, a quarter, ... of the GPUs [time]")
          .check(one_of({"time", "days", "cost", "energy"}))
          .type_name("NAME")
          .group(group);
  app.add_option("--tokens", flags.tokens, "Tokens to train on [as in the job]")
      .check(positive_number())
      .type_name("N")
      .needs(objective)
      .group(group);
  app.add_option("--price", flags.price,
                 "Rent per GPU-hour, with or without a currency: 2.5, '$2.5' or '2.5 EUR'. With "
                 "several types of GPU one per type: 1.5,2.5 [as in the GPU's config]")
      .delimiter(',')
      .one_argument()
      .type_name("MONEY,..")
      .needs(objective)
      .group(group);
  app.add_option("--gpu-power", flags.gpu_power,
                 "Power of a GPU while it computes. With several types of GPU one per type [as in "
                 "the GPU's config]")
      .check(positive_number())
      .delimiter(',')
      .one_argument()
      .type_name("WATTS,..")
      .needs(objective)
      .group(group);
  app.add_option("--idle-power", flags.idle_power,
                 "Power of a GPU while it waits for others. With several types of GPU one per type "
                 "[as --gpu-power]")
      .check(non_negative_number())
      .delimiter(',')
      .one_argument()
      .type_name("WATTS,..")
      .needs(objective)
      .group(group);
  app.add_option("--host-power", flags.host_power, "Power of hosts and network per GPU [0]")
      .check(non_negative_number())
      .type_name("WATTS")
      .needs(objective)
      .group(group);
  app.add_option("--pue", flags.pue, "Power usage effectiveness of the building, 1 to 10 [1]")
      .check(in_range(1.0, 10.0))
      .type_name("RATIO")
      .needs(objective)
      .group(group);
  app.add_option("--max-days", flags.max_days, "Longest training to accept [no limit]")
      .check(positive_number())
      .type_name("DAYS")
      .needs(objective)
      .group(group);
}

placement::Goal goal_of(const ObjectiveFlags& flags, const placement::PlaceProblem& problem) {
  placement::Goal goal{.objective = objective_of(flags),
                       .tokens = tokens_of(flags, problem.job),
                       .most_days = flags.max_days};
  for (std::size_t t = 0; t < problem.types.size(); ++t)
    goal.rates.push_back(rates_of(flags, problem.types[t].gpu, t, problem.types.size()));
  return goal;
}

std::optional<double> steps_to_tokens(const ObjectiveFlags& flags, const placement::Job& job) {
  const double tokens = flags.tokens.value_or(job.tokens);
  if (!(tokens > 0)) return std::nullopt;
  return tokens / (static_cast<double>(job.batch) * job.sequence);
}

std::string currency_of(const ObjectiveFlags& flags, const placement::PlaceProblem& problem) {
  if (objective_of(flags) != Objective::cost) return {};
  std::vector<Money> prices = prices_of(flags);
  for (const placement::GpuType& type : problem.types)
    if (flags.price.empty() && type.gpu.price)
      prices.push_back({type.gpu.price->per_hour, type.gpu.price->currency});
  const core::Parsed<std::string> currency = core::common_currency(prices);
  if (!currency.value)
    throw InputError("", "--price", currency.error, "one currency for all types of GPU");
  return *currency.value;
}

std::vector<std::string> rate_notes(const ObjectiveFlags& flags,
                                    const placement::PlaceProblem& problem) {
  std::vector<std::string> notes;
  if (const std::string currency = currency_of(flags, problem);
      !currency.empty() && !flags.price.empty())
    notes.push_back(fmt::format("cost: in {}, the currency of --price", currency));
  for (const placement::GpuType& type : problem.types) {
    const placement::Processor& gpu = type.gpu;
    if (objective_of(flags) == Objective::cost && flags.price.empty() && gpu.price)
      notes.push_back(fmt::format(
          "price: {} {} per GPU-hour, from the config of {} ({}); set yours with --price",
          gpu.price->per_hour, gpu.price->currency, gpu.gpu.name, gpu.price->source));
    if (objective_of(flags) == Objective::energy && flags.gpu_power.empty() && gpu.power > Power())
      notes.push_back(fmt::format(
          "power: {} per GPU{}, the limit of its data sheet{}{}; set yours with --gpu-power",
          core::to_text(gpu.power), problem.types.size() > 1 ? " (" + gpu.gpu.name + ")" : "",
          flags.idle_power.empty() ? ", also while it waits" : "",
          flags.host_power > 0 ? "" : ", and 0 for its host"));
  }
  return notes;
}

}  // namespace railyard::apps
