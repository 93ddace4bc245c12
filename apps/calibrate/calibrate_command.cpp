#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "apps/calibrate/calibration_rows.hpp"
#include "apps/calibrate/host_times.hpp"
#include "apps/cli/commands.hpp"
#include "apps/cli/setting.hpp"
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
    problems.push_back({"", "--cluster", "use either --cluster or --shared",
                        "--cluster fits one cluster file, --shared the GPU generations and fabrics "
                        "that all clusters use"});
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

/// Calibrates ranks on the cores of a host, which use other parameters because they do not use
/// NCCL.
int run_host_calibration(const CalibrateFlags& flags, const hw::HostCluster& host,
                         const std::vector<collectives::MeasuredTable>& tables, Context& context) {
  if (flags.from_scratch)
    throw InputError(
        "", "--from-scratch", "there are no defaults for ranks on CPU cores",
        "leave it out: the fit then starts from the values that 'railyard probe' measured");
  SimulatedHostTimes times(host);
  const hw::HostFit fit = hw::fit_host(
      host, tables,
      [&](std::span<const double> x, const hw::HostRow& row) { return times(x, row); });
  for (const std::string& left : fit.left_out) print_note(context, "left out: " + left);
  const auto fitted = std::ranges::count_if(fit.parameters, &hw::HostParameter::identified);
  print_note(context,
             fmt::format("{} parameters of ranks on CPU cores fitted to {} rows of {} {}: median "
                         "error {:.1f} % before, {:.1f} % after",
                         fitted, fit.rows, fit.tables, fit.tables == 1 ? "table" : "tables",
                         fit.median_before_pct, fit.median_after_pct));
  const hw::FittedHostFiles files =
      hw::fitted_host_files(flags.cluster, host, fit, flags.output_file);
  const std::filesystem::path folder = std::filesystem::path(flags.output_file).parent_path();
  for (const hw::NodeFile& file : files.nodes)
    write_text(file.text, (folder / file.name).string(), context);
  write_text(files.cluster, flags.output_file, context);
  write_result({.kind = "calibration",
                .provenance = {.command = context.command},
                .rows = tabulate_host_parameters(fit.parameters)},
               flags.output, context);
  return ExitCode::done;
}

int run_calibrate(const CalibrateFlags& flags, Context& context) {
  check_output(flags.output);
  check(flags);
  const std::vector<collectives::MeasuredTable> tables =
      collectives::read_measured(flags.files, named_collective(flags.collective));
  if (!flags.cluster.empty()) {
    const hw::HostCluster host(flags.cluster);
    if (host.is_of_hosts()) return run_host_calibration(flags, host, tables, context);
  }
  const Predictions predictions =
      predict_tables(tables, {.map = read_system_map(flags.map), .cluster = flags.cluster});
  for (const ExcludedTable& left : predictions.left_out)
    print_note(context, fmt::format("left out: {}: {}", left.table, left.reason));
  if (predictions.rows.empty())
    throw InputError(flags.files.front(), "", "contains no row that can be used for the fit");
  const auto parameters = fit_classes(
      predictions,
      {.start = flags.from_scratch ? FitStart::untouched : FitStart::shipped, .without_table = {}});
  if (std::ranges::none_of(parameters, [](const auto& p) { return p.identified; }))
    throw InputError(flags.files.front(), "", "does not determine any parameter",
                     "add rows with small sizes for latencies and large sizes for bandwidths; "
                     "check that the cluster file describes the measured machine, because a table "
                     "that is faster than its links determines nothing");
  const MedianErrors errors = median_errors(predictions, parameters);
  report(predictions, parameters, errors, context);
  if (flags.shared.empty() && errors.after > errors.before) {
    print_error(context,
                fmt::format("--from: no fit within the capacity of the links has a median error "
                            "below the present {:.1f} %, so {} is not written (check that cluster "
                            "file, number of nodes and launch mode are those of the tables)",
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
                .provenance = {.command = context.command},
                .rows = tabulate_class_parameters(parameters)},
               flags.output, context);
  return !slow.empty() && flags.shared.empty() ? ExitCode::finding : ExitCode::done;
}

constexpr const char* kExamples = R"(
Fits the parameters of the time model (docs/models/nccl_time.md) to measured tables by robust least
squares on the logarithm of time. Each parameter is listed with its uncertainty and the tables that
determine it; a parameter that the tables do not determine keeps its value. --from takes the files of
'railyard validate'.

No fitted rate exceeds the capacity of its links. The exit code is 1 in two cases: the fit would make
the error larger, and no file is written; or links reach less than 0.9 of the rate of similar machines,
and a warning lists more likely causes.

For a cluster whose ranks are on CPU cores (made by 'railyard probe' without GPUs), launch time, time
per step and rates are fitted to result files of 'railyard bench --backend local' or 'mpi'.

Examples:
  railyard calibrate --cluster host.json --from bench.json -o ours.json
  railyard calibrate --cluster dgx_h100_ndr400 --from all_reduce_perf.log -o ours.json
  railyard calibrate --shared configs --from-scratch --from configs/validation/measured/collectives.jsonc)";

}  // namespace

RunCommand add_calibrate(FlagSet app) {
  const auto flags = std::make_shared<CalibrateFlags>();
  app.add_option("--cluster", flags->cluster, "Cluster that the tables were measured on")
      .type_name("FILE");
  app.add_option("--from", flags->files, "Measured tables").required().type_name("FILE");
  app.add_option("-o,--output", flags->output_file, "Write the fitted cluster file")
      .type_name("FILE");
  app.add_option("--shared", flags->shared,
                 "Fit the parameters that all clusters share, and write them to FOLDER/generations "
                 "and FOLDER/fabrics")
      .type_name("FOLDER");
  app.add_flag("--from-scratch", flags->from_scratch,
               "Start the fit from the model's defaults, not from the values of the config files");
  app.add_option("--map", flags->map,
                 "Map that assigns a cluster to the hardware of a table: a file, or a name in "
                 "configs/validation [public]")
      .type_name("FILE");
  app.add_option("--collective", flags->collective, "Collective of tables that do not state it")
      .type_name("NAME");
  add_output_flags(app, flags->output, "the parameters");
  app.footer(kExamples);
  return [flags](Context& context) { return run_calibrate(*flags, context); };
}

}  // namespace railyard::apps
