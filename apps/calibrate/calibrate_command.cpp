#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "apps/calibrate/calibration_rows.hpp"
#include "apps/calibrate/host_times.hpp"
#include "apps/cli/commands.hpp"
#include "apps/output/output_folder.hpp"
#include "apps/output/result_output.hpp"
#include "collectives/formats/read_measured.hpp"
#include "collectives/nccl/timing/fit/calibrated_files.hpp"
#include "collectives/nccl/timing/fit/fit_outcome.hpp"
#include "collectives/nccl/timing/fit/read_system_map.hpp"
#include "core/diagnostic.hpp"
#include "hw/probe/fitted_host_files.hpp"

namespace railyard::apps {
namespace {

using namespace collectives::nccl;

struct CalibrateFlags {
  std::string cluster, output_file, shared, map = "public", collective;
  std::vector<std::string> files;
  bool from_scratch = false;
  OutputFlags output;
};

void check(const CalibrateFlags& flags) {
  std::vector<Diagnostic> problems;
  if (flags.cluster.empty() == flags.shared.empty())
    problems.push_back({"", "--cluster", "give exactly one of --cluster and --shared",
                        "--cluster fits one cluster file, --shared the generations and fabrics"});
  if (!flags.cluster.empty() && flags.output_file.empty())
    problems.push_back({"", "-o", "is missing", "-o FILE.json, the fitted cluster file"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

void print_host_notes(const std::vector<ClassParameter>& parameters, Context& context) {
  for (const std::string& note : host_notes(parameters)) print_note(context, note);
}

/// "3 parameters fitted to 32 rows of 1 table, 23 kept: median error 12.3 % before, 4.5 % after".
void report(const Predictions& predictions, const std::vector<ClassParameter>& parameters,
            MedianErrors errors, Context& context) {
  const auto count = std::ranges::count_if(parameters, [](const auto& p) { return p.identified; });
  print_note(context, fmt::format("{} parameters fitted to {} rows of {} {}, {} kept: "
                                  "median error {:.1f} % before, {:.1f} % after",
                                  count, predictions.rows.size(), predictions.tables.size(),
                                  predictions.tables.size() == 1 ? "table" : "tables",
                                  static_cast<std::int64_t>(parameters.size()) - count,
                                  errors.before, errors.after));
}

/// A cluster of ranks on cores: no NCCL, so other parameters.
int run_host_calibration(const CalibrateFlags& flags, const hw::HostCluster& host,
                         const std::vector<collectives::MeasuredTable>& tables, Context& context) {
  if (flags.from_scratch)
    throw InputError("", "--from-scratch", "ranks on cores have no defaults to start from",
                     "leave it out: the file has what 'railyard probe' measured");
  SimulatedHostTimes times(host);
  const hw::HostFit fit = hw::fit_host(
      host, tables,
      [&](std::span<const double> x, const hw::HostRow& row) { return times(x, row); });
  for (const std::string& left : fit.left_out) print_note(context, "left out: " + left);
  const auto fitted = std::ranges::count_if(fit.parameters, &hw::HostParameter::identified);
  print_note(context,
             fmt::format("{} parameters of ranks on cores fitted to {} rows of {} {}: "
                         "median error {:.1f} % before, {:.1f} % after",
                         fitted, fit.rows, fit.tables, fit.tables == 1 ? "table" : "tables",
                         fit.median_before_pct, fit.median_after_pct));
  const hw::FittedHostFiles files =
      hw::fitted_host_files(flags.cluster, host, fit, flags.output_file);
  const std::filesystem::path folder = std::filesystem::path(flags.output_file).parent_path();
  for (const hw::NodeFile& file : files.nodes)
    write_text(file.text, (folder / file.name).string(), context);
  write_text(files.cluster, flags.output_file, context);
  write_result({.kind = "calibration",
                .provenance = {.command = context.command, .facts = {}, .configs = {}, .seed = 0},
                .rows = tabulate_host_parameters(fit.parameters)},
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
  const std::vector<collectives::MeasuredTable> tables =
      collectives::read_measured(flags.files, kind);
  if (!flags.cluster.empty()) {
    const hw::HostCluster host(flags.cluster);
    if (host.is_of_hosts()) return run_host_calibration(flags, host, tables, context);
  }
  const Predictions predictions =
      predict_tables(tables, {.map = read_system_map(flags.map), .cluster = flags.cluster});
  for (const LeftOut& left : predictions.left_out)
    print_note(context, fmt::format("left out: {}: {}", left.table, left.reason));
  if (predictions.rows.empty())
    throw InputError(flags.files.front(), "", "has no row that can be fitted to");
  const auto parameters = fit_classes(
      predictions,
      {.start = flags.from_scratch ? FitStart::untouched : FitStart::shipped, .without_table = {}});
  if (std::ranges::none_of(parameters, [](const auto& p) { return p.identified; }))
    throw InputError(flags.files.front(), "", "does not determine any parameter",
                     "more sizes are needed: small ones for latencies, large ones for bandwidths; "
                     "a table that is faster than the links of the cluster file determines none");
  const MedianErrors errors = median_errors(predictions, parameters);
  report(predictions, parameters, errors, context);
  if (flags.shared.empty() && errors.after > errors.before) {
    print_error(context, fmt::format("--from: no parameters that physics allows bring the model "
                                     "closer to these tables than {:.1f} %: {} is not written "
                                     "(check that the cluster file, nodes and launch mode are "
                                     "those of the tables)",
                                     errors.before, flags.output_file));
    return ExitCode::finding;
  }
  const std::vector<std::string> slow = slow_links(predictions, parameters);
  for (const std::string& link : slow) print_note(context, "warning: " + link);
  if (flags.shared.empty()) {
    const std::string cluster = calibrated_cluster(flags.cluster, predictions, parameters);
    print_host_notes(parameters, context);
    write_text(cluster, flags.output_file, context);
  } else {
    for (const ClassFile& file : calibrated_classes(predictions, parameters)) {
      const std::filesystem::path path = std::filesystem::path(flags.shared) / file.path;
      make_output_folder("--shared", path.parent_path().string(), "a folder that you may write to");
      write_text(file.text, path.string(), context);
    }
    print_host_notes(parameters, context);
  }
  write_result({.kind = "calibration",
                .provenance = {.command = context.command, .facts = {}, .configs = {}, .seed = 0},
                .rows = tabulate_class_parameters(parameters)},
               flags.output, context);
  return !slow.empty() && flags.shared.empty() ? ExitCode::finding : ExitCode::done;
}

constexpr const char* kExamples =
    "Fits the parameters of the time model (docs/models/nccl_time.md) to measured tables by robust "
    "least\n"
    "squares on the logarithm of time. Each parameter is listed with its uncertainty and the "
    "tables that\n"
    "determine it; a parameter that the tables do not determine keeps its value. --from takes the "
    "files of\n"
    "'railyard validate'.\n"
    "\n"
    "No parameter goes beyond what links carry. Exit code 1: the fit would make the error larger, "
    "and no\n"
    "file is written; or links are slower than 0.9 of what such machines reach, and a warning "
    "prints what\n"
    "is more likely.\n"
    "\n"
    "For a cluster whose ranks are on CPU cores (made by 'railyard probe' without GPUs), launch "
    "time, time\n"
    "per step and rates are fitted to result files of 'railyard bench --backend local' or 'mpi'.\n"
    "\n"
    "Examples:\n"
    "  railyard calibrate --cluster host.json --from bench.json -o ours.json\n"
    "  railyard calibrate --cluster dgx_h100_ndr400 --from all_reduce_perf.log -o ours.json\n"
    "  railyard calibrate --shared configs --from-scratch --from "
    "configs/validation/measured/collectives.jsonc";

}  // namespace

RunCommand add_calibrate(FlagSet app) {
  const auto flags = std::make_shared<CalibrateFlags>();
  app.add_option("--cluster", flags->cluster, "Cluster that the tables were measured on")
      .type_name("FILE");
  app.add_option("--from", flags->files, "Measured tables").required().type_name("FILE");
  app.add_option("-o,--output", flags->output_file, "Write the fitted cluster file")
      .type_name("FILE");
  app.add_option("--shared", flags->shared,
                 "Fit the parameters that clusters share, and write FOLDER/generations and "
                 "FOLDER/fabrics")
      .type_name("FOLDER");
  app.add_flag("--from-scratch", flags->from_scratch,
               "Start from the model's defaults, not from the values of the config files");
  app.add_option("--map", flags->map,
                 "Map from hardware to clusters, a file or a name in configs/validation [public]")
      .type_name("FILE");
  app.add_option("--collective", flags->collective, "Collective of tables that do not state it")
      .type_name("NAME");
  app.add_option("--json", flags->output.json,
                 "Write the parameters as JSON ('-': standard output)")
      .type_name("FILE");
  app.add_option("--csv", flags->output.csv, "Write the parameters as CSV ('-': standard output)")
      .type_name("FILE");
  app.footer(kExamples);
  return [flags](Context& context) { return run_calibrate(*flags, context); };
}

}  // namespace railyard::apps
