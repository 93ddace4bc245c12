#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/output/result_output.hpp"
#include "apps/validate/calibrated_files.hpp"
#include "apps/validate/class_fit.hpp"
#include "apps/validate/errors.hpp"
#include "apps/validate/host_fit.hpp"
#include "apps/validate/validation_rows.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

struct CalibrateFlags {
  std::string cluster, output_file, shared, map = "public", collective;
  std::vector<std::string> files;
  bool from_scratch = false;
  OutputFlags output;
};

RowValue percent(double part) { return std::isfinite(part) ? RowValue(100 * part) : RowValue(); }

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

constexpr std::array<Column<ClassParameter>, 9> kColumns{{
    {"of", [](const ClassParameter& p) -> RowValue { return p.owner; }},
    {"parameter",
     [](const ClassParameter& p) -> RowValue { return std::string(p.parameter->name); }},
    {"before", [](const ClassParameter& p) -> RowValue { return p.start; }, {.decimals = 3}},
    {"after", [](const ClassParameter& p) -> RowValue { return p.value; }, {.decimals = 3}},
    {"uncertainty_pct",
     [](const ClassParameter& p) -> RowValue {
       return p.identified ? percent(p.error) : RowValue();
     },
     {.decimals = 1}},
    {"fitted", [](const ClassParameter& p) -> RowValue { return p.identified; }},
    {"points",
     [](const ClassParameter& p) -> RowValue { return static_cast<std::int64_t>(p.points); }},
    {"tables",
     [](const ClassParameter& p) -> RowValue {
       return static_cast<std::int64_t>(p.tables.size());
     }},
    {"rests_on", [](const ClassParameter& p) -> RowValue { return joined(p.tables); }},
}};

constexpr std::array<Column<HostParameter>, 7> kHostColumns{{
    {"parameter", [](const HostParameter& p) -> RowValue { return p.name; }},
    {"unit", [](const HostParameter& p) -> RowValue { return p.unit; }},
    {"before", [](const HostParameter& p) -> RowValue { return p.start; }, {.decimals = 3}},
    {"after", [](const HostParameter& p) -> RowValue { return p.value; }, {.decimals = 3}},
    {"uncertainty_pct",
     [](const HostParameter& p) -> RowValue {
       return p.identified ? percent(p.error) : RowValue();
     },
     {.decimals = 1}},
    {"fitted", [](const HostParameter& p) -> RowValue { return p.identified; }},
    {"points",
     [](const HostParameter& p) -> RowValue { return static_cast<std::int64_t>(p.points); }},
}};

void check(const CalibrateFlags& flags) {
  std::vector<Diagnostic> problems;
  if (flags.cluster.empty() == flags.shared.empty())
    problems.push_back({"", "--cluster", "exactly one of --cluster and --shared is needed",
                        "--cluster fits one cluster file, --shared the generations and fabrics"});
  if (!flags.cluster.empty() && flags.output_file.empty())
    problems.push_back({"", "-o", "names no file for the fitted cluster", "-o FILE.json"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// "fitted to 32 rows of 1 table: median error 12.3 % before, 4.5 % after".
void report(const Judged& judged, const std::vector<ClassParameter>& parameters, Context& context) {
  std::vector<double> before, after;
  const FittedPrediction prediction(judged, parameters);
  for (const JudgedRow& row : judged.rows) {
    before.push_back(row.error_pct());
    after.push_back(prediction.error_pct(row));
  }
  const auto count = std::ranges::count_if(parameters, [](const auto& p) { return p.identified; });
  print_note(context,
             fmt::format("{} parameters fitted to {} rows of {} tables, {} held where they were: "
                         "median error {:.1f} % before, {:.1f} % after",
                         count, judged.rows.size(), judged.tables.size(),
                         static_cast<std::int64_t>(parameters.size()) - count,
                         summarise(before).median_abs, summarise(after).median_abs));
}

/// A cluster of ranks on cores: no NCCL, so other parameters.
int run_host_calibration(const CalibrateFlags& flags, HostModel& model,
                         const std::vector<MeasuredTable>& tables, Context& context) {
  if (flags.from_scratch)
    throw InputError("", "--from-scratch", "ranks on cores have no defaults to begin at",
                     "leave it out: 'railyard probe' measured what the file has");
  const HostFit fit = fit_host(model, tables);
  for (const std::string& left : fit.left_out) print_note(context, "left out: " + left);
  const auto fitted = std::ranges::count_if(fit.parameters, &HostParameter::identified);
  print_note(context, fmt::format("{} parameters of ranks on cores fitted to {} rows of {} tables: "
                                  "median error {:.1f} % before, {:.1f} % after",
                                  fitted, fit.rows, fit.tables, fit.median_before_pct,
                                  fit.median_after_pct));
  write_fitted_host(flags.cluster, model, fit, flags.output_file, context);
  write_result({.kind = "calibration",
                .provenance = {.command = context.command, .facts = {}, .configs = {}, .seed = 0},
                .rows = tabulate(std::span<const Column<HostParameter>>(kHostColumns),
                                 std::span<const HostParameter>(fit.parameters))},
               flags.output, context);
  return ExitCode::done;
}

int run_calibrate(const CalibrateFlags& flags, Context& context) {
  check_output(flags.output);
  check(flags);
  std::optional<collectives::Kind> kind;
  if (!flags.collective.empty()) {
    kind = collectives::kind_from(flags.collective);
    if (!kind)
      throw InputError("", "--collective", fmt::format("'{}' is no collective", flags.collective));
  }
  std::vector<MeasuredTable> tables;
  for (const std::string& file : flags.files)
    for (MeasuredTable& table : read_measured(file, kind)) tables.push_back(std::move(table));
  if (!flags.cluster.empty()) {
    HostModel model(flags.cluster);
    if (model.is_of_hosts()) return run_host_calibration(flags, model, tables, context);
  }
  const Judged judged =
      judge(tables, {.map = read_system_map(flags.map), .cluster = flags.cluster});
  for (const LeftOut& left : judged.left_out)
    print_note(context, fmt::format("left out: {}: {}", left.table, left.reason));
  if (judged.rows.empty())
    throw InputError(flags.files.front(), "", "has no row that a fit could rest on");
  const auto parameters = fit_classes(
      judged,
      {.start = flags.from_scratch ? FitStart::untouched : FitStart::shipped, .without_table = {}});
  if (std::ranges::none_of(parameters, [](const auto& p) { return p.identified; }))
    throw InputError(flags.files.front(), "", "does not tell any parameter apart from the others",
                     "more sizes are needed: small ones for latencies, large ones for bandwidths");
  report(judged, parameters, context);
  if (flags.shared.empty()) {
    write_calibrated_cluster(flags.cluster, judged, parameters, flags.output_file, context);
  } else {
    write_calibrated_classes(flags.shared, judged, parameters, context);
  }
  write_result({.kind = "calibration",
                .provenance = {.command = context.command, .facts = {}, .configs = {}, .seed = 0},
                .rows = tabulate(std::span<const Column<ClassParameter>>(kColumns),
                                 std::span<const ClassParameter>(parameters))},
               flags.output, context);
  return ExitCode::done;
}

constexpr const char* kExamples =
    "Fits the parameters of the time model (docs/models/nccl_time.md) to measured tables: robust "
    "least\n"
    "squares on the logarithm of time. Each parameter is listed with its uncertainty and the rows "
    "that it\n"
    "rests on; one that the tables do not tell from others keeps its value. Files are those of "
    "`railyard\n"
    "validate`.\n"
    "\n"
    "Of a cluster whose ranks are on cores (railyard probe without GPUs) what a collective takes "
    "to "
    "start,\n"
    "a step, and rates are fitted, to result files of 'railyard bench --backend local' or 'mpi'.\n"
    "\n"
    "Examples:\n"
    "  railyard calibrate --cluster host.json --from bench.json -o ours.json\n"
    "  railyard calibrate --cluster dgx_h100_ndr400 --from all_reduce_perf.log -o ours.json\n"
    "  railyard calibrate --shared configs --from-scratch --from measured.json";

}  // namespace

RunCommand add_calibrate(CLI::App& app) {
  const auto flags = std::make_shared<CalibrateFlags>();
  app.add_option("--cluster", flags->cluster, "the cluster that the tables were measured on")
      ->type_name("FILE");
  app.add_option("--from", flags->files, "measured tables")->required()->type_name("FILE");
  app.add_option("-o,--output", flags->output_file, "the fitted cluster file")->type_name("FILE");
  app.add_option("--shared", flags->shared,
                 "fit what clusters share instead, and write FOLDER/generations and /fabrics")
      ->type_name("FOLDER");
  app.add_flag("--from-scratch", flags->from_scratch,
               "begin at the model's defaults instead of the values of the config files");
  app.add_option("--map", flags->map,
                 "which cluster stands for which hardware (configs/validation)")
      ->type_name("FILE");
  app.add_option("--collective", flags->collective, "what tables that do not say it measured")
      ->type_name("NAME");
  app.add_option("--json", flags->output.json,
                 "write the parameters as JSON ('-': standard output)")
      ->type_name("FILE");
  app.add_option("--csv", flags->output.csv, "write the parameters as CSV ('-': standard output)")
      ->type_name("FILE");
  app.footer(kExamples);
  return [flags](Context& context) { return run_calibrate(*flags, context); };
}

}  // namespace railyard::apps
