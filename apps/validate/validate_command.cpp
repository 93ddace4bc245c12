#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/output/result_output.hpp"
#include "apps/validate/errors.hpp"
#include "apps/validate/leave_one_out.hpp"
#include "apps/validate/measured.hpp"
#include "apps/validate/training/measured_rows.hpp"
#include "apps/validate/training/training_command.hpp"
#include "apps/validate/validation_rows.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

struct ValidateFlags {
  std::vector<std::string> files{};
  std::string map, cluster, collective;
  double max_error = 0;
  bool leave_one_out = false, fit = false;
  OutputFlags output{};
};

std::optional<collectives::Kind> kind_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto kind = collectives::kind_from(text)) return kind;
  throw InputError(
      "", "--collective", fmt::format("'{}' is no collective", text),
      "all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all or send_recv");
}

std::vector<MeasuredTable> tables_of(const ValidateFlags& flags) {
  const auto kind = kind_of(flags.collective);
  std::vector<MeasuredTable> tables{};
  for (const std::string& file : flags.files)
    for (MeasuredTable& table : read_measured(file, kind)) tables.push_back(std::move(table));
  return tables;
}

void note_what_is_missing(const Judged& judged, Context& context) {
  for (const LeftOut& left : judged.left_out)
    print_note(context, fmt::format("left out: {}: {}", left.table, left.reason));
}

int verdict(const ValidateFlags& flags, const TableError& all, Context& context) {
  const double error = all.above_1m.rows > 0 ? all.above_1m.median_abs : all.all.median_abs;
  if (flags.max_error <= 0 || error <= flags.max_error) return ExitCode::done;
  print_error(context, fmt::format("median error {:.1f} % from 1 MiB on: more than the {} % of "
                                   "--max-error",
                                   error, flags.max_error));
  return ExitCode::finding;
}

/// Whether all files hold training steps; throws InputError where some do and some do not.
bool are_training_steps(const std::vector<std::string>& files) {
  const auto training = std::ranges::count_if(files, holds_training_steps);
  if (training > 0 && training < std::ssize(files))
    throw InputError("", "FILE", "some files hold collectives and some training steps",
                     "one call for each kind");
  return training > 0;
}

int run_validate(const ValidateFlags& flags, Context& context) {
  check_output(flags.output);
  if (are_training_steps(flags.files))
    return validate_training({.files = flags.files,
                              .map = flags.map.empty() ? "training" : flags.map,
                              .leave_one_out = flags.leave_one_out,
                              .fit = flags.fit,
                              .max_error = flags.max_error,
                              .output = flags.output},
                             context);
  const std::string map = flags.map.empty() ? "public" : flags.map;
  const JudgeRequest request{.map = read_system_map(map), .cluster = flags.cluster};
  const Judged judged = judge(tables_of(flags), request);
  note_what_is_missing(judged, context);
  if (judged.rows.empty())
    throw InputError(flags.files.front(), "", "has no row that could be predicted",
                     "--cluster names the cluster of a table that no rule of the map knows");
  const std::vector<double> left_out_errors =
      flags.leave_one_out ? errors_left_out(judged, context) : std::vector<double>{};
  const auto errors = table_errors(judged, row_errors(judged, left_out_errors));
  const RowTable summary = tabulate_table_errors(errors);
  Provenance provenance{
      .command = context.command, .facts = {{"map", map}}, .configs = {}, .seed = 0};
  if (flags.leave_one_out)
    provenance.notes.push_back("every table is predicted with parameters fitted to the others");
  for (const LeftOut& left : judged.left_out)
    provenance.notes.push_back(fmt::format("left out: {}: {}", left.table, left.reason));
  write_result({.kind = "validation",
                .provenance = provenance,
                .rows = tabulate_validation(judged, left_out_errors),
                .sections = {{"tables", summary, false}},
                .summary = summary},
               flags.output, context);
  return verdict(flags, errors.back(), context);
}

constexpr const char* kExamples =
    "Predicts every row of measured tables and says how far off the predictions are: NCCL's own "
    "choice of\n"
    "algorithm and protocol on its searched graph, then the time model "
    "(docs/models/nccl_time.md). A map\n"
    "(configs/validation) says by the hardware of a table which shipped cluster stands for it. "
    "Files: a\n"
    "collection of tables, what nccl-tests prints or writes (-J), or railyard's own results.\n"
    "\n"
    "Examples:\n"
    "  railyard validate measured.json --json results/validation.json\n"
    "  railyard validate all_reduce_perf.log --cluster dgx_h100_ndr400 --collective all_reduce\n"
    "  railyard validate measured.json --leave-one-out --max-error 10";

}  // namespace

RunCommand add_validate(CLI::App& app) {
  const auto flags = std::make_shared<ValidateFlags>();
  app.add_option("files", flags->files, "measured tables")->required()->type_name("FILE");
  app.add_option("--map", flags->map,
                 "which cluster stands for which hardware (configs/validation)")
      ->type_name("FILE");
  app.add_option("--cluster", flags->cluster, "the cluster of every table, instead of the map's")
      ->type_name("FILE");
  app.add_option("--collective", flags->collective, "what tables that do not say it measured")
      ->type_name("NAME");
  app.add_flag("--leave-one-out", flags->leave_one_out,
               "predict each table with parameters fitted to all others");
  app.add_flag("--fit", flags->fit,
               "training steps: fit the efficiencies of each GPU generation, show and use them");
  app.add_option("--max-error", flags->max_error,
                 "exit with 1 where the median error from 1 MiB on is more than this")
      ->type_name("PERCENT");
  app.add_option("--json", flags->output.json, "write every row as JSON ('-': standard output)")
      ->type_name("FILE");
  app.add_option("--csv", flags->output.csv, "write every row as CSV ('-': standard output)")
      ->type_name("FILE");
  app.footer(kExamples);
  return [flags](Context& context) { return run_validate(*flags, context); };
}

}  // namespace railyard::apps
