#include "apps/place/objective.hpp"

#include <fmt/format.h>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/money.hpp"

namespace railyard::apps {
namespace {

/// Parses the amounts of --price.
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

}  // namespace

void add_objective_flags(FlagSet app, ObjectiveFlags& flags) {
  app = app.under("Objective");
  const Flag objective =
      app.add_option(
             "--objective", flags.objective,
             "Value to minimise: time of a step on all GPUs, or days, cost or energy of the whole "
             "training. The last three also try a half, a quarter, ... of the GPUs [time]")
          .check(one_of({"time", "days", "cost", "energy"}))
          .type_name("NAME");
  app.add_option("--tokens", flags.tokens,
                 "Tokens to train on, also with K, M, B or T: 15T [as in the job]")
      .check(positive_number())
      .type_name("N")
      .needs(objective);
  app.add_option("--price", flags.price,
                 "Rent per GPU-hour, with or without a currency: 2.5, '$2.5' or '2.5 EUR'. With "
                 "several types of GPU one per type: 1.5,2.5 [as in the GPU's config]")
      .delimiter(',')
      .one_argument()
      .type_name("MONEY,..")
      .needs(objective);
  app.add_option("--gpu-power", flags.gpu_power,
                 "Power of a GPU while it computes. With several types of GPU one per type [as in "
                 "the GPU's config]")
      .check(positive_number())
      .delimiter(',')
      .one_argument()
      .type_name("WATTS,..")
      .needs(objective);
  app.add_option("--idle-power", flags.idle_power,
                 "Power of a GPU while it waits for others. With several types of GPU one per type "
                 "[as --gpu-power]")
      .check(non_negative_number())
      .delimiter(',')
      .one_argument()
      .type_name("WATTS,..")
      .needs(objective);
  app.add_option("--host-power", flags.host_power, "Power of hosts and network per GPU [0]")
      .check(non_negative_number())
      .type_name("WATTS")
      .needs(objective);
  app.add_option("--pue", flags.pue, "Power usage effectiveness of the building, 1 to 10 [1]")
      .check(in_range(1.0, 10.0))
      .type_name("RATIO")
      .needs(objective);
  app.add_option("--max-days", flags.max_days, "Longest training to accept [no limit]")
      .check(positive_number())
      .type_name("DAYS")
      .needs(objective);
}

placement::ObjectiveChoice objective_choice(const ObjectiveFlags& flags) {
  return {.objective = core::parse_enum<placement::Objective>(flags.objective).value,
          .tokens = flags.tokens,
          .prices = prices_of(flags),
          .gpu_watts = flags.gpu_power,
          .idle_watts = flags.idle_power,
          .host_watts = flags.host_power,
          .pue = flags.pue,
          .most_days = flags.max_days};
}

}  // namespace railyard::apps
