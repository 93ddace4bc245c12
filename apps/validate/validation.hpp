#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "core/error_summary.hpp"

namespace railyard::apps {

/// Errors over one dataset: a table of collectives, a set of training runs, or all of a kind.
struct DatasetError {
  std::string_view kind{};  ///< "collective" or "training", and what was left out of a fit
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
  std::string_view kind{};     ///< of the result file
  std::string_view heading{};  ///< above the errors where several kinds are printed
  std::string map{};
  std::vector<std::string> notes{};
  RowTable rows{};                    ///< a row per measurement
  std::vector<Section> sections{};    ///< more rows, for files
  std::vector<HeadedTable> before{};  ///< tables printed before the errors
  RowTable errors{};                  ///< a row per dataset: what is printed
  std::vector<DatasetError> datasets{};
  std::vector<std::string> findings{};  ///< errors above --max-error
  /// Where they are requested: rows that their fit had not seen, and the parts that were measured.
  std::vector<collectives::nccl::Residual> residuals{};
  std::vector<collectives::nccl::MeasuredPart> parts{};
};

/// What both kinds are validated with.
struct ValidationRequest {
  std::vector<std::string> files{};
  std::string map{};
  bool leave_one_out = false;
  bool residuals = false;  ///< of rows that their fit had not seen: Validation::residuals
  double max_error = 0;    ///< in per cent; 0: none
};

/// Adds the errors of a dataset, and a finding where their mean is above --max-error.
void add_errors(const ValidationRequest& request, DatasetError errors, Validation& result);

/// Adds and prints a note per reason, behind `what`.
void add_notes(std::string_view what, const std::vector<std::string>& reasons, Validation& result,
               Context& context);

/// A value of a summary; nothing if the summary has no errors.
[[nodiscard]] inline RowValue if_any(const core::ErrorSummary& summary, double value) {
  return summary.count == 0 ? RowValue() : RowValue(value);
}

/// A row per dataset, of any kind.
[[nodiscard]] RowTable tabulate_datasets(const std::vector<DatasetError>& datasets);

}  // namespace railyard::apps
