#include "apps/suite_run.hpp"

#include "apps/collective_rows.hpp"
#include "apps/progress.hpp"
#include "apps/sim_run.hpp"
#include "core/diagnostic.hpp"

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
  return flags;
}

/// The problems of one case, each naming it.
InputError in_case(const InputError& error, const std::string& name) {
  std::vector<Diagnostic> problems;
  for (Diagnostic problem : error.diagnostics()) {
    if (problem.file.empty()) problem.message = "case '" + name + "': " + problem.message;
    problems.push_back(std::move(problem));
  }
  return InputError(std::move(problems));
}

}  // namespace

std::vector<SuiteRow> run_suite(const Suite& suite, Provenance& provenance, Context& context) {
  std::vector<SuiteRow> rows;
  Progress progress(context, suite.cases.size());
  for (const SuiteCase& one : suite.cases) {
    progress.next(one.name);
    try {
      for (auto& measurement : simulate(flags_of(one), one.sizes, provenance)) {
        rows.push_back({one.name, one.tolerance.value_or(suite.tolerance), std::move(measurement)});
      }
    } catch (const InputError& error) {
      throw in_case(error, one.name);
    }
  }
  return rows;
}

RowTable tabulate_suite(const std::vector<SuiteRow>& rows) {
  RowTable table;
  table.columns = {{"case", {}}};
  for (const auto& column : collective_columns())
    table.columns.push_back({column.name, column.style});
  for (const SuiteRow& row : rows) {
    auto& values = table.rows.emplace_back();
    values = {row.name};
    for (const auto& column : collective_columns()) values.push_back(column.value(row.measurement));
  }
  return table;
}

}  // namespace railyard::apps
