#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/comparison.hpp"
#include "apps/output/result_output.hpp"
#include "apps/regress/suite.hpp"
#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

struct RegressFlags {
  std::string suite, baseline, junit, markdown;
  OutputFlags output;
  int threads = 0;  ///< 0: one per core
  bool update = false;
  bool all = false;
};

/// The baseline that belongs to a suite of this repository: configs/suites/x.json has
/// results/baselines/x.json.
std::string baseline_of(const RegressFlags& flags) {
  if (!flags.baseline.empty()) return flags.baseline;
  const std::filesystem::path suite = core::resolve_config(flags.suite, "suites");
  const auto root = std::filesystem::absolute(suite).parent_path().parent_path().parent_path();
  const auto found = root / "results" / "baselines" / (suite.stem().string() + ".json");
  if (flags.update || std::filesystem::exists(found)) return found.string();
  throw InputError(flags.suite, "", "has no baseline yet",
                   "--update writes it; --baseline FILE names another");
}

int update(const RegressFlags& flags, const std::vector<SuiteRow>& rows,
           const Provenance& provenance, Context& context) {
  const std::string file = baseline_of(flags);
  write_result({.kind = "regress", .provenance = provenance, .rows = tabulate_suite(rows)},
               {.json = file, .csv = "-", .trace = {}}, context);
  print_note(context, fmt::format("{}: {} rows written", file, rows.size()));
  return ExitCode::done;
}

std::vector<ComparisonRow> findings_of(std::vector<ComparisonRow> rows) {
  std::erase_if(rows, [](const ComparisonRow& row) { return row.verdict == Verdict::same; });
  return rows;
}

int run_regress(const RegressFlags& flags, Context& context) {
  check_output(flags.output);
  const Suite suite = read_suite(flags.suite);
  // Before the simulations, so that a wrong file is not found out after them.
  const auto baseline =
      flags.update ? std::vector<BaselineRow>{} : read_baseline(baseline_of(flags));
  Provenance provenance{.command = command_without_threads(context),
                        .facts = {{"suite", flags.suite}},
                        .configs = {},
                        .seed = 0};
  const std::vector<SuiteRow> rows = run_suite(suite, flags.threads, provenance, context);
  if (flags.update) return update(flags, rows, provenance, context);

  const std::vector<ComparisonRow> compared = compare(rows, baseline);
  const std::vector<ComparisonRow> findings = findings_of(compared);
  if (!flags.junit.empty()) write_text(junit_text(suite.name, compared), flags.junit, context);
  if (!flags.markdown.empty())
    write_text(markdown_text(suite.name, compared), flags.markdown, context);
  write_result({.kind = "regress_comparison",
                .provenance = provenance,
                .rows = tabulate_comparison(flags.all ? compared : findings)},
               flags.output, context);
  for (const ComparisonRow& row : compared)
    if (row.verdict == Verdict::same && !row.changed.empty())
      print_note(context, fmt::format("{}: as fast by another choice: {}", row.name, row.changed));
  context.err << fmt::format("suite {}: {}\n", suite.name, tally(compared));
  return findings.empty() ? ExitCode::done : ExitCode::finding;
}

constexpr const char* kExamples =
    "Simulates every case of a suite and compares the times with a baseline. A time that moved by "
    "more\n"
    "than the tolerance, either way, a new case and one that is gone are findings: they are "
    "listed, and\n"
    "the exit code is 1. A case whose fidelity is local or nccl (railyard-cluster) is run for "
    "real.\n"
    "\n"
    "Examples:\n"
    "  railyard regress core\n"
    "  railyard regress my_suite.json --baseline my_baseline.json --junit junit.xml --markdown "
    "change.md\n"
    "  railyard regress core --update        # after a change of the models that is wanted";

}  // namespace

RunCommand add_regress(CLI::App& app) {
  const auto flags = std::make_shared<RegressFlags>();
  app.add_option("suite", flags->suite, "suite file, or the name of a shipped one (configs/suites)")
      ->required()
      ->type_name("FILE");
  app.add_option("--baseline", flags->baseline,
                 "rows to compare with, instead of results/baselines/<suite>.json")
      ->type_name("FILE");
  app.add_flag("--update", flags->update, "write the baseline instead of comparing with it");
  app.add_flag("--all", flags->all, "list every row, not only what moved");
  app.add_option("--junit", flags->junit, "write the outcome as JUnit XML")->type_name("FILE");
  app.add_option("--markdown", flags->markdown, "write the findings as Markdown")
      ->type_name("FILE");
  add_threads_flag(app, flags->threads);
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_regress(*flags, context); };
}

}  // namespace railyard::apps
