#include <fmt/format.h>

#include <map>
#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/cli/setting.hpp"
#include "apps/output/result_output.hpp"
#include "apps/validate/validate_capacity.hpp"
#include "apps/validate/validate_collectives.hpp"
#include "apps/validate/validate_power.hpp"
#include "apps/validate/validate_serving.hpp"
#include "apps/validate/validate_training.hpp"
#include "collectives/formats/shipped_tables.hpp"
#include "collectives/nccl/timing/range/range_coverage.hpp"
#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/measured/measured_rows.hpp"
#include "placement/serving/measured/mapped_row.hpp"

namespace railyard::apps {
namespace {

using placement::serving::ServingTable;

struct ValidateFlags {
  std::vector<std::string> files{};
  std::string map, cluster, collective, harness, ranges;
  double max_error = 0;
  bool leave_one_out = false, fit = false, whole_step = false;
  OutputFlags output{};
};

/// The given files, by kind.
struct Files {
  std::vector<std::string> collectives, training;
  std::map<ServingTable, std::vector<std::string>> serving;

  [[nodiscard]] bool has_runs() const { return serving.contains(ServingTable::runs); }
};

Files files_of(const ValidateFlags& flags) {
  Files files;
  for (const std::string& file :
       flags.files.empty() ? collectives::shipped_tables() : flags.files) {
    const ServingTable serving = placement::serving::serving_table(file);
    (serving != ServingTable::none           ? files.serving[serving]
     : placement::holds_training_steps(file) ? files.training
                                             : files.collectives)
        .push_back(file);
  }
  return files;
}

/// Throws InputError for flags that do not apply to the kinds of the files.
void check(const ValidateFlags& flags, const Files& files) {
  std::vector<Diagnostic> problems;
  const auto refuse = [&](bool given, const char* flag, const char* what, const char* hint) {
    if (given) problems.push_back({"", flag, what, hint});
  };
  if (!files.training.empty() || !files.serving.empty()) {
    refuse(!flags.cluster.empty(), "--cluster", "applies to collectives only",
           "validate training steps in a command of their own; their clusters are in --map");
    refuse(!flags.harness.empty(), "--harness", "applies to collectives only",
           "validate training steps in a command of their own");
    refuse(!flags.collective.empty(), "--collective", "applies to collectives only",
           "validate training steps in a command of their own");
  }
  if (!files.collectives.empty() || (!files.serving.empty() && !files.has_runs()))
    refuse(flags.fit, "--fit", "applies to training steps and serving runs only",
           "'railyard calibrate' fits the time model of collectives");
  if (files.training.empty())
    refuse(flags.whole_step, "--whole-step", "applies to training steps only",
           "give a file of training steps");
  if (!files.serving.empty() && !files.has_runs())
    refuse(flags.leave_one_out, "--leave-one-out",
           "has nothing to fit to highest throughputs or power", "give a file of serving runs");
  const int kinds = (files.collectives.empty() ? 0 : 1) + (files.training.empty() ? 0 : 1) +
                    static_cast<int>(files.serving.size());
  if (kinds > 1)
    refuse(!flags.map.empty(), "--map",
           "applies to one kind of files, collectives, training or serving",
           "validate each kind in a command of its own");
  if (!problems.empty()) throw InputError(std::move(problems));
}

bool prints_table(const OutputFlags& output) { return output.json != "-" && output.csv != "-"; }

void print(const HeadedTable& table, Context& context) {
  if (table.table.rows.empty()) return;
  context.out << table.heading << '\n';
  write_table(table.table, context.out);
  context.out << '\n';
}

Provenance provenance_of(const std::vector<Validation>& parts, const Context& context) {
  Provenance provenance{.command = context.command};
  for (const Validation& part : parts) {
    provenance.facts.emplace_back(parts.size() == 1 ? "map" : fmt::format("map of {}", part.kind),
                                  part.map);
    provenance.notes.insert(provenance.notes.end(), part.notes.begin(), part.notes.end());
  }
  return provenance;
}

/// Writes one kind: a row per measurement to files, a row per dataset to the terminal.
void write_one(const Validation& part, const ValidateFlags& flags, Context& context) {
  if (prints_table(flags.output))
    for (const HeadedTable& table : part.before) print(table, context);
  write_result({.kind = part.kind,
                .provenance = provenance_of({part}, context),
                .rows = part.rows,
                .sections = part.sections,
                .summary = part.errors},
               flags.output, context);
}

/// Writes several kinds: a row per dataset, also to files.
void write_both(const std::vector<Validation>& parts, const ValidateFlags& flags,
                Context& context) {
  std::vector<DatasetError> datasets;
  for (const Validation& part : parts) {
    datasets.insert(datasets.end(), part.datasets.begin(), part.datasets.end());
    if (!prints_table(flags.output)) continue;
    for (const HeadedTable& table : part.before) print(table, context);
    print({part.heading, part.errors}, context);
  }
  write_result({.kind = "validation_summary",
                .provenance = provenance_of(parts, context),
                .rows = tabulate_datasets(datasets)},
               flags.output, context, Table::no);
}

/// Prints the coverage of ranges that were made without each dataset in turn. Returns false if it
/// is not near 80 %.
bool report_coverage(const std::vector<collectives::nccl::Residual>& residuals, Context& context) {
  bool holds = true;
  for (const auto& kind : collectives::nccl::held_back_coverage(residuals)) {
    const std::string text =
        fmt::format("{}: {:.1f} % of {} held-back rows are inside their 80 % range",
                    core::enum_name(kind.of), kind.inside_pct, kind.rows);
    holds = holds && kind.is_near();
    if (kind.is_near())
      print_note(context, text);
    else
      print_error(context, text + ", not 75 to 85 %");
  }
  return holds;
}

/// Writes the ranges of all residuals. Returns whether they have the required coverage.
bool write_ranges(const std::vector<Validation>& parts, const std::string& file, Context& context) {
  collectives::nccl::PredictionRanges ranges{
      .name = "measured times over predictions",
      .source = context.command +
                ": rows of measured tables, each predicted by a fit to the other "
                "datasets (steps: to the other machines)",
      .measured = {},
      .classes = {}};
  std::vector<collectives::nccl::Residual> residuals;
  for (const Validation& part : parts) {
    append(part.residuals, residuals);
    ranges.measured.insert(ranges.measured.end(), part.parts.begin(), part.parts.end());
  }
  ranges.classes = collectives::nccl::range_classes(residuals);
  write_text(write_prediction_ranges(ranges), file, context);
  return report_coverage(residuals, context);
}

int run_validate(const ValidateFlags& flags, Context& context) {
  check_output(flags.output);
  if (!flags.ranges.empty()) check_output_file("--ranges", flags.ranges);
  const CollectiveOptions options{.cluster = flags.cluster,
                                  .harness = flags.harness,
                                  .collective = named_collective(flags.collective)};
  const Files files = files_of(flags);
  check(flags, files);
  ValidationRequest request{.map = flags.map,
                            .leave_one_out = flags.leave_one_out,
                            .residuals = !flags.ranges.empty(),
                            .max_error = flags.max_error};
  std::vector<Validation> parts;
  if (request.files = files.collectives; !request.files.empty())
    parts.push_back(validate_collectives(request, options, context));
  if (request.files = files.training; !request.files.empty())
    parts.push_back(
        validate_training(request, {.fit = flags.fit, .whole_step = flags.whole_step}, context));
  for (const auto& [kind, serving] : files.serving) {
    request.files = serving;
    parts.push_back(kind == ServingTable::capacity ? validate_capacity(request, context)
                    : kind == ServingTable::power
                        ? validate_power(request, context)
                        : validate_serving(request, {.fit = flags.fit}, context));
  }
  if (parts.size() == 1)
    write_one(parts.front(), flags, context);
  else
    write_both(parts, flags, context);
  int code = ExitCode::done;
  if (!flags.ranges.empty() && !write_ranges(parts, flags.ranges, context))
    code = ExitCode::finding;
  for (const Validation& part : parts) {
    for (const std::string& finding : part.findings) {
      print_error(context, finding);
      code = ExitCode::finding;
    }
  }
  return code;
}

constexpr const char* kExamples = R"(
Predicts every row of measured tables and prints the errors by table. Without FILE, the published
tables in configs/validation/measured are used: NCCL's collectives and training steps, each with its
source.

Serving runs are CSV files with the columns of AIConfigurator's silicon_sample.csv (docs/models/serving.md),
for example configs/validation/serving_runs.csv. Two more files there: serving_capacity.csv (MLPerf
Inference) tests the highest predicted throughput, serving_power.csv (Splitwise) the power.

Collectives are predicted with NCCL's choice of algorithm and protocol and the fitted time model
(docs/models/nccl_time.md), training steps by formula (docs/models/step.md). A map (configs/validation)
assigns a shipped cluster to the hardware of each table. Files can be a collection of tables, the
output of nccl-tests (text, or JSON by -J), or result files of railyard.

Errors are (predicted / measured - 1) in per cent. median_pct and mean_pct summarise absolute errors.
bias_pct is the mean of signed errors: above 0, predictions are too long. --json and --csv write a row
per measurement, or a row per table if collectives and training steps are validated together.

The first table lists the errors by harness, the launch mode of the benchmark. If a source does not state
it, one process per GPU is assumed.

range_pct is the 80 % range of a prediction (docs/models/ranges.md). inside_pct is the share of the rows of
a table whose measured time is inside this range.

Examples:
  railyard validate
  railyard validate configs/validation/serving_runs.csv --leave-one-out
  railyard validate all_reduce_perf.log --cluster dgx_h100_ndr400 --collective all_reduce
  railyard validate configs/validation/measured/collectives.jsonc --leave-one-out --max-error 10)";

}  // namespace

RunCommand add_validate(FlagSet app) {
  const auto flags = std::make_shared<ValidateFlags>();
  app.add_option("files", flags->files,
                 "Measured tables [all tables of configs/validation/measured]")
      .type_name("FILE");
  app.add_option("--map", flags->map,
                 "Map that assigns a cluster to the hardware of a table: a file, or a name in "
                 "configs/validation [public; training for training steps]")
      .type_name("FILE");
  app.add_option("--cluster", flags->cluster,
                 "Cluster of all tables of collectives [as in the map]")
      .type_name("FILE");
  app.add_option("--collective", flags->collective, "Collective of tables that do not state it")
      .type_name("NAME");
  app.add_option("--harness", flags->harness,
                 "Launch mode with which all tables of collectives were measured: a name in "
                 "configs/launch_modes, or none [as in the map]")
      .type_name("NAME");
  app.add_flag("--leave-one-out", flags->leave_one_out,
               "Predict each table with parameters fitted to all other tables (takes minutes)");
  app.add_option("--ranges", flags->ranges,
                 "Write the 80 % ranges of predictions (configs/ranges), from fits that leave out "
                 "each dataset in turn (takes minutes). Exit with 1 if less than 75 % or more than "
                 "85 % of the rows are inside the ranges that were made without their dataset")
      .type_name("FILE");
  app.add_flag("--fit", flags->fit,
               "Fit the efficiencies of each GPU generation to training steps, or those of "
               "inference engines to serving runs. Print them and use them for the predictions");
  app.add_flag("--whole-step", flags->whole_step,
               "Also simulate each training step as one workload (docs/models/workload.md) and "
               "print those errors (takes minutes)");
  app.add_option("--max-error", flags->max_error,
                 "Exit with 1 if an error is larger: the median of collectives of at least 1 MiB, "
                 "or the mean of a set of training steps or of a group of serving runs")
      .type_name("PERCENT");
  add_output_flags(app, flags->output, "the rows");
  app.footer(kExamples);
  return [flags](Context& context) { return run_validate(*flags, context); };
}

}  // namespace railyard::apps
