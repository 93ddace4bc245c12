#include "apps/place/objective.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "core/diagnostic.hpp"

namespace railyard::apps {

void add_objective_flags(CLI::App& app, ObjectiveFlags& flags) {
  const char* group = "Objective";
  auto* objective =
      app.add_option(
             "--objective", flags.objective,
             "time of a step (on all GPUs), or days, cost or energy to the job's tokens: on all "
             "GPUs, or a half, a quarter... of them")
          ->check(CLI::IsMember({"time", "days", "cost", "energy"}))
          ->type_name("NAME")
          ->group(group);
  app.add_option("--tokens", flags.tokens, "to train on, instead of the job's")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->needs(objective)
      ->group(group);
  app.add_option("--price", flags.price,
                 "of a GPU for an hour, in any currency; of several types: 1.5,2.5")
      ->check(CLI::PositiveNumber)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("AMOUNT,..")
      ->needs(objective)
      ->group(group);
  app.add_option("--gpu-power", flags.gpu_power, "of a GPU that computes, likewise")
      ->check(CLI::PositiveNumber)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("WATTS,..")
      ->needs(objective)
      ->group(group);
  app.add_option("--idle-power", flags.idle_power,
                 "of one that waits for others; left out: as if it computed")
      ->check(CLI::NonNegativeNumber)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("WATTS,..")
      ->needs(objective)
      ->group(group);
  app.add_option("--host-power", flags.host_power, "of the rest of a node and the network, per GPU")
      ->check(CLI::NonNegativeNumber)
      ->type_name("WATTS")
      ->needs(objective)
      ->group(group);
  app.add_option("--pue", flags.pue, "what the building draws over the machines (1)")
      ->check(CLI::Range(1.0, 10.0))
      ->type_name("RATIO")
      ->needs(objective)
      ->group(group);
  app.add_option("--max-days", flags.max_days, "placements that take longer are left out")
      ->check(CLI::PositiveNumber)
      ->type_name("DAYS")
      ->needs(objective)
      ->group(group);
  app.add_option("--memory", flags.memory, "a GPU's memory may be filled so far: 70GiB")
      ->type_name("SIZE")
      ->group(group);
}

std::optional<Bytes> memory_limit(const ObjectiveFlags& flags) {
  if (flags.memory.empty()) return std::nullopt;
  const auto parsed = core::parse_bytes(flags.memory);
  if (!parsed.value) throw InputError("", "--memory", parsed.error, "--memory 70GiB");
  return parsed.value;
}

}  // namespace railyard::apps
