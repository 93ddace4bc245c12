#include "apps/validate/validate_collectives.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "apps/cli/progress.hpp"
#include "apps/validate/validation_rows.hpp"
#include "collectives/formats/read_measured.hpp"
#include "collectives/nccl/timing/fit/leave_one_out.hpp"
#include "collectives/nccl/timing/fit/read_system_map.hpp"
#include "collectives/nccl/timing/fit/table_residuals.hpp"
#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/read_launch_mode.hpp"

namespace railyard::apps {
namespace {

using namespace collectives::nccl;

std::vector<double> left_out(const Predictions& predictions, Context& context) {
  Progress progress(context, predictions.tables.size());
  return errors_left_out(predictions, [&](const std::string& table) { progress.next(table); });
}

std::vector<std::string> notes_of(const Predictions& predictions, bool leave_one_out) {
  std::vector<std::string> notes;
  if (leave_one_out) notes.emplace_back("each table is predicted with a fit to all other tables");
  for (const ExcludedTable& left : predictions.left_out)
    notes.push_back(fmt::format("left out: {}: {}", left.table, left.reason));
  return notes;
}

/// Residuals of all datasets, each predicted without itself in the fit.
std::vector<Residual> residuals_of(const Predictions& predictions, Context& context) {
  std::optional<Progress> progress;
  return table_residuals(predictions, [&](const std::string& dataset, std::size_t datasets) {
    if (!progress) progress.emplace(context, datasets);
    progress->next(dataset);
  });
}

std::optional<Harness> harness_of(const std::string& launch_mode) {
  if (launch_mode.empty()) return std::nullopt;
  return Harness{.name = launch_mode,
                 .launch_mode = launch_mode,
                 .software = {},
                 .launch = topology::read_launch_cost(launch_mode, "--harness")};
}

}  // namespace

Validation validate_collectives(const ValidationRequest& request, const CollectiveOptions& options,
                                Context& context) {
  Validation result{.kind = "validation",
                    .heading = "Collectives: predicted against measured times",
                    .map = request.map.empty() ? "public" : request.map};
  const Predictions predictions =
      predict_tables(collectives::read_measured(request.files, options.collective),
                     {.map = read_system_map(result.map),
                      .cluster = options.cluster,
                      .harness = harness_of(options.harness)});
  result.notes = notes_of(predictions, request.leave_one_out);
  for (const std::string& note : result.notes) print_note(context, note);
  if (predictions.rows.empty())
    throw InputError(request.files.front(), "", "no row can be predicted",
                     predictions.left_out.empty() || options.cluster.empty()
                         ? "set the cluster with --cluster, or add a rule for the hardware to --map"
                         : "the notes above say what is missing");
  const auto rows = row_errors(
      predictions, request.leave_one_out ? left_out(predictions, context) : std::vector<double>{});
  const std::vector<TableError> errors = table_errors(predictions, rows);
  result.rows = tabulate_validation(predictions, rows);
  result.errors = tabulate_table_errors(errors);
  if (request.residuals) {
    result.parts = measured_parts(predictions);
    result.residuals = residuals_of(predictions, context);
  } else {
    const PredictionRanges shipped = read_prediction_ranges(std::string(kShippedRanges));
    add_ranges(row_ranges(predictions, shipped), result.rows, result.errors);
  }
  const RowTable by_harness = tabulate_harness_errors(harness_errors(predictions, rows));
  result.sections = {{"tables", result.errors, false}, {"harnesses", by_harness, false}};
  if (by_harness.rows.size() > 1)
    result.before.push_back(
        {"Errors by harness, the way the benchmark launches collectives", by_harness});
  for (const TableError& error : errors)
    result.datasets.push_back(
        {request.leave_one_out ? "collective, each table left out of the fit" : "collective",
         error.table, error.cluster, error.all});
  const TableError& all = errors.back();
  const double error = all.above_1m.count > 0 ? all.above_1m.median : all.all.median;
  if (request.max_error > 0 && error > request.max_error)
    result.findings.push_back(
        fmt::format("collectives: median error from 1 MiB on is {:.1f} %, "
                    "above the {} % of --max-error",
                    error, request.max_error));
  return result;
}

}  // namespace railyard::apps
