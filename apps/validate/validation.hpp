#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "core/error_summary.hpp"

namespace railyard::apps {

/// Errors over one dataset: a table of collectives, a set of training runs, or all data of a kind.
struct DatasetError {
  std::string_view kind{};  ///< "collective" or "training", and the data left out of a fit
  std::string dataset{}, cluster{};
  core::ErrorSummary errors{};
};

/// A table with a line above it.
struct HeadedTable {
  std::string_view heading{};
  RowTable table{};
};

/// Measured files of one kind, predicted.
struct Validation {
  std::string_view kind{};     ///< kind of the result file
  std::string_view heading{};  ///< above the errors if several kinds are printed
  std::string map{};
  std::vector<std::string> notes{};
  RowTable rows{};                    ///< a row per measurement
  std::vector<Section> sections{};    ///< additional rows, for files
  std::vector<HeadedTable> before{};  ///< tables printed before the errors
  RowTable errors{};                  ///< a row per dataset; printed
  std::vector<DatasetError> datasets{};
  std::vector<std::string> findings{};  ///< errors above --max-error
  /// If requested: rows predicted without their dataset in the fit, and the measured machine parts.
  std::vector<collectives::nccl::Residual> residuals{};
  std::vector<collectives::nccl::MeasuredPart> parts{};
};

/// The inputs of a validation of any kind.
struct ValidationRequest {
  std::vector<std::string> files{};
  std::string map{};
  bool leave_one_out = false;
  bool residuals = false;  ///< fill Validation::residuals
  double max_error = 0;    ///< in per cent; 0: no limit
};

/// Adds the errors of a dataset, and a finding if their mean exceeds --max-error.
void add_errors(const ValidationRequest& request, DatasetError errors, Validation& result);

/// Adds and prints a note per reason, with the prefix `what`.
void add_notes(std::string_view what, const std::vector<std::string>& reasons, Validation& result,
               Context& context);

/// A value of a summary; nothing if the summary has no errors.
[[nodiscard]] inline RowValue if_any(const core::ErrorSummary& summary, double value) {
  return summary.count == 0 ? RowValue() : RowValue(value);
}

/// A row per dataset, of any kind.
[[nodiscard]] RowTable tabulate_datasets(const std::vector<DatasetError>& datasets);

}  // namespace railyard::apps
