#include "apps/regress/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>

#include "apps/cli/entry_error.hpp"
#include "apps/cli/progress.hpp"
#include "apps/output/collective_rows.hpp"
#include "apps/output/table_columns.hpp"
#include "apps/place/place_case.hpp"
#include "apps/regress/live_case.hpp"
#include "apps/sim/sim_run.hpp"
#include "collectives/baseline/suite_checks.hpp"
#include "core/diagnostic.hpp"
#include "core/parallel.hpp"

namespace railyard::apps {
namespace {

SimFlags flags_of(const SuiteCase& one) {
  SimFlags flags;
  flags.cluster = {
      .cluster = one.cluster, .nodes = one.nodes, .gpus = one.gpus, .ranks = one.ranks};
  flags.collective.collective = to_text(one.collective);
  flags.collective.algorithm = one.algorithm;
  flags.collective.protocol = one.protocol;
  flags.collective.channels = one.channels;
  flags.collective.seed = one.seed;
  flags.nccl.environment = one.env;
  flags.fabric = {
      .routing = one.routing, .qps = one.qps, .failures = one.fail, .degradations = one.degrade};
  flags.fidelity = one.fidelity;
  flags.timing.timing = one.timing;
  flags.threads = 1;  // cases run concurrently
  return flags;
}

/// The rows of a case, simulated or on a live backend.
std::vector<collectives::Measurement> run_case(const SuiteCase& one, const hw::BackendEntry* live,
                                               Provenance& provenance) {
  const SimFlags flags = flags_of(one);
  if (live != nullptr) return run_live(one, flags, *live, provenance);
  if (one.job.empty()) return simulate(flags, sizes_of(one), provenance);
  return {place_step({.cluster = flags.cluster,
                      .fabric = flags.fabric,
                      .job = one.job,
                      .fix = one.fix,
                      .batch = one.batch,
                      .verify = one.verify,
                      .mapping = one.mapping,
                      .fidelity = one.fidelity,
                      .seed = one.seed},
                     provenance)};
}

/// The problems of one case, with its name and its position in the suite.
InputError in_case(const InputError& error, const Suite& suite, const SuiteCase& one) {
  const std::string entry = fmt::format("/cases/{}", &one - suite.cases.data());
  const InputError placed = at_entry(error, entry);
  std::vector<Diagnostic> problems;
  for (Diagnostic problem : placed.diagnostics()) {
    if (problem.file.empty()) problem.message = "case '" + one.name + "': " + problem.message;
    problems.push_back(std::move(problem));
  }
  return InputError(std::move(problems));
}

/// By case: the live backend that runs it; nullptr: simulated.
std::vector<const hw::BackendEntry*> live_backends(const Suite& suite, const Context& context) {
  std::vector<const hw::BackendEntry*> backends;
  for (const SuiteCase& one : suite.cases) {
    try {
      backends.push_back(live_backend_of(one, context));
    } catch (const InputError& error) {
      throw in_case(error, suite, one);
    }
  }
  return backends;
}

/// Adds the files of a case that no earlier case has read.
void add_configs(const Provenance& from, Provenance& to) {
  for (const auto& config : from.configs) {
    if (std::find(to.configs.begin(), to.configs.end(), config) == to.configs.end())
      to.configs.push_back(config);
  }
}

/// The times of a case without its faults; empty if it has none, or if `differs_from` names its
/// healthy twin.
std::vector<collectives::Measurement> healthy_rows(const SuiteCase& one) {
  if (!collectives::has_faults(one) || !one.differs_from.empty()) return {};
  Provenance unused;
  return run_case(collectives::without_faults(one), nullptr, unused);
}

}  // namespace

std::vector<SuiteRow> run_suite(const Suite& suite, int threads, Provenance& provenance,
                                Context& context) {
  struct Outcome {
    std::vector<collectives::Measurement> rows, healthy;
    Provenance provenance;
    double seconds = 0;
  };
  std::vector<Outcome> outcomes(suite.cases.size());
  const std::vector<const hw::BackendEntry*> live = live_backends(suite, context);
  {
    Progress progress(context, suite.cases.size());
    std::mutex drawing;
    const auto run = [&](std::size_t i) {
      const SuiteCase& one = suite.cases[i];
      {
        const std::lock_guard lock(drawing);
        progress.next(one.name);
      }
      const auto begin = std::chrono::steady_clock::now();
      try {
        outcomes[i].rows = run_case(one, live[i], outcomes[i].provenance);
        outcomes[i].seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (live[i] == nullptr) outcomes[i].healthy = healthy_rows(one);
      } catch (const InputError& error) {
        throw in_case(error, suite, one);
      }
    };
    core::parallel_for(outcomes.size(), core::thread_count(threads),
                       [&](std::size_t i, std::size_t) {
                         if (live[i] == nullptr) run(i);
                       });
    // Nothing else runs during live measurements.
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      if (live[i] != nullptr) run(i);
  }
  std::vector<SuiteRow> rows;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const SuiteCase& one = suite.cases[i];
    add_configs(outcomes[i].provenance, provenance);
    const double seconds = outcomes[i].seconds /
                           static_cast<double>(std::max<std::size_t>(outcomes[i].rows.size(), 1));
    const double tolerance = one.tolerance.value_or(suite.tolerance);
    for (const std::string& note :
         collectives::idle_fault_notes(one, tolerance, outcomes[i].rows, outcomes[i].healthy))
      print_note(context, note);
    for (auto& measurement : outcomes[i].rows)
      rows.push_back(
          {one.name, tolerance, std::move(measurement), outcomes[i].provenance.configs, seconds});
  }
  collectives::check_twins(suite, rows);
  return rows;
}

RowTable tabulate_suite(const std::vector<SuiteRow>& rows) {
  static constexpr std::array<Column<SuiteRow>, 1> kColumns{
      {{"case", [](const SuiteRow& r) -> RowValue { return r.name; }}}};
  RowTable table = tabulate(kColumns, rows);
  add_columns(tabulate(collective_columns(), rows | std::views::transform(&SuiteRow::measurement)),
              table);
  return table;
}

}  // namespace railyard::apps
