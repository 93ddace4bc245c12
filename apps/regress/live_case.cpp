#include "apps/regress/live_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/sim/simulation.hpp"
#include "core/diagnostic.hpp"
#include "hw/live_executor.hpp"
#include "hw/world/world.hpp"

namespace railyard::apps {
namespace {

/// All live backends, including those that this program was built without.
constexpr std::array<std::string_view, 3> kNames{"local", "mpi", "nccl"};

/// A call that takes longer counts as failed.
constexpr Time kTimeout = Time::nanoseconds(60'000'000'000);

}  // namespace

const hw::BackendEntry* live_backend_of(const SuiteCase& one, const Context& context) {
  if (std::ranges::find(kNames, one.fidelity) == kNames.end()) return nullptr;
  const auto found = std::ranges::find(context.backends, one.fidelity, &hw::BackendEntry::name);
  if (found == context.backends.end())
    throw BackendError(
        fmt::format("case '{}': this program has no backend {}; use railyard-cluster "
                    "regress, if it was built with that backend",
                    one.name, one.fidelity));
  if (!one.tolerance)
    throw InputError("", "tolerance",
                     "a live case needs a tolerance of its own, because measured times vary",
                     "\"tolerance\": 0.3 allows changes of 30 %");
  return &*found;
}

std::vector<collectives::Measurement> run_live(const SuiteCase& one, SimFlags flags,
                                               const hw::BackendEntry& entry,
                                               Provenance& provenance) {
  flags.fidelity = "analytic";  // has no effect: only the choice of the schedule is used
  Simulation simulation(flags, provenance);
  const auto group = simulation.group(simulation.seed());
  const auto backend = entry.open({.ranks = group->size(), .timeout = kTimeout});
  if (backend->world().processes() > 1 || backend->ranks() != group->size())
    throw InputError(
        "", "fidelity",
        fmt::format("regress runs {} ranks in one process; {} has {} in {}", group->size(),
                    entry.name, backend->ranks(), backend->world().processes()),
        "bench --min-busbw is a gate for launched ranks");
  hw::LiveExecutor executor(*backend, {.warmup = 2, .iterations = 20});
  std::vector<collectives::Measurement> rows;
  for (const Bytes size : sizes_of(one)) {
    const collectives::Schedule schedule = simulation.schedule(group, flags.collective, size);
    const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
    const auto result = executor.run({&task, 1}).tasks.front();
    rows.push_back(measure(schedule, result, executor.name(), simulation.seed()));
  }
  return rows;
}

}  // namespace railyard::apps
