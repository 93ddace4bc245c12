#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/result_output.hpp"
#include "apps/regress/comparison_text.hpp"
#include "apps/regress/suite_run.hpp"
#include "collectives/baseline/read_suite.hpp"
#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::BaselineRow;
using collectives::ComparisonRow;
using collectives::Verdict;

struct RegressFlags {
  std::string suite, baseline, junit, markdown;
  OutputFlags output;
  int threads = 0;  ///< 0: one per core
  bool update = false;
  bool all = false;
};

/// The baseline of a suite: results/baselines/x.json for the shipped configs/suites/x.json,
/// path/x.baseline.json for any other path/x.json.
std::filesystem::path default_baseline(const std::filesystem::path& suite) {
  const auto folder = std::filesystem::absolute(suite).parent_path();
  if (folder.filename() == "suites" && folder.parent_path().filename() == "configs")
    return folder.parent_path().parent_path() / "results" / "baselines" /
           (suite.stem().string() + ".json");
  return suite.parent_path() / (suite.stem().string() + ".baseline.json");
}

std::string baseline_of(const RegressFlags& flags) {
  if (!flags.baseline.empty()) return flags.baseline;
  const auto found = default_baseline(core::resolve_config(flags.suite, "suites"));
  if (flags.update || std::filesystem::exists(found)) return found.string();
  throw InputError(flags.suite, "",
                   fmt::format("does not have a baseline yet ({})", found.string()),
                   "write the baseline with --update, or select one with --baseline FILE");
}

int update(const RegressFlags& flags, const std::vector<SuiteRow>& rows,
           const Provenance& provenance, Context& context) {
  const std::string file = baseline_of(flags);
  write_result({.kind = "regress", .provenance = provenance, .rows = tabulate_suite(rows)},
               {.json = file, .csv = "-", .trace = {}}, context);
  print_note(context,
             fmt::format("{}: {} row{} written", file, rows.size(), rows.size() == 1 ? "" : "s"));
  return ExitCode::done;
}

std::vector<ComparisonRow> findings_of(std::vector<ComparisonRow> rows) {
  std::erase_if(rows, [](const ComparisonRow& row) { return row.verdict == Verdict::same; });
  return rows;
}

int run_regress(const RegressFlags& flags, Context& context) {
  check_output(flags.output);
  const Suite suite = collectives::read_suite(flags.suite);
  // Read first, so that a wrong file stops the run before the simulations.
  const auto baseline =
      flags.update ? std::vector<BaselineRow>{} : collectives::read_baseline(baseline_of(flags));
  Provenance provenance{.command = command_without_threads(context),
                        .facts = {{"suite", flags.suite}}};
  const std::vector<SuiteRow> rows = [&] {
    try {
      return run_suite(suite, flags.threads, provenance, context);
    } catch (const InputError& error) {
      throw error.in_file(flags.suite);
    }
  }();
  if (flags.update) return update(flags, rows, provenance, context);

  const std::vector<ComparisonRow> compared = collectives::compare(rows, baseline);
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
      print_note(context, fmt::format("{}: same time, but changed: {}", row.name, row.changed));
  context.err << fmt::format("suite {}: {}\n", suite.name, tally(compared));
  return findings.empty() ? ExitCode::done : ExitCode::finding;
}

constexpr const char* kExamples = R"(
Simulates every case of a suite and compares the times with a baseline. Findings are times that changed
by more than the tolerance, new cases, and cases that are missing. Findings are printed, and the exit
code is 1. The column `changed` lists other differences: another algorithm or limit, and edited
configs. A case with the fidelity local or nccl (railyard-cluster) runs on real hardware.

Examples:
  railyard regress core
  railyard regress my_suite.json --update   # writes my_suite.baseline.json
  railyard regress my_suite.json --junit junit.xml --markdown change.md
  railyard regress core --update        # after an intended change of the models)";

}  // namespace

RunCommand add_regress(FlagSet app) {
  const auto flags = std::make_shared<RegressFlags>();
  app.add_option("suite", flags->suite, "Suite file, or the name of a shipped one (configs/suites)")
      .required()
      .type_name("FILE");
  app.add_option("--baseline", flags->baseline,
                 "Baseline to compare with [SUITE.baseline.json in the folder of the suite; for a "
                 "shipped suite, results/baselines/SUITE.json]")
      .type_name("FILE");
  app.add_flag("--update", flags->update, "Write the baseline instead of comparing with it");
  app.add_flag("--all", flags->all, "Print every row, not only the findings");
  app.add_option("--junit", flags->junit, "Write the result of each case as JUnit XML")
      .type_name("FILE");
  app.add_option("--markdown", flags->markdown, "Write the findings as Markdown").type_name("FILE");
  add_threads_flag(app, flags->threads);
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_regress(*flags, context); };
}

}  // namespace railyard::apps
