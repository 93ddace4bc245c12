#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/table_predictions.hpp"
#include "collectives/nccl/timing/range/range_coverage.hpp"

namespace railyard::collectives::nccl {

/// The machine parts of the predicted tables. Throws InputError.
[[nodiscard]] std::vector<MeasuredPart> measured_parts(const Predictions& predictions);

/// The range query of each row. Throws InputError.
[[nodiscard]] std::vector<RangeQuery> range_queries(const Predictions& predictions,
                                                    const std::vector<MeasuredPart>& measured);

/// The range of each row. Throws InputError.
[[nodiscard]] std::vector<RowRange> row_ranges(const Predictions& predictions,
                                               const PredictionRanges& ranges);

/// Residuals of every dataset, the tables of one source on one cluster, predicted with parameters
/// that were fitted to all other datasets. Sweeps of more than kSweepRows rows are thinned evenly;
/// every sweep has weight one. A dataset is not evidence for its own machine parts. `on_dataset` is
/// called with the name of each before its fit and the number of datasets.
[[nodiscard]] std::vector<Residual> table_residuals(
    const Predictions& predictions,
    const std::function<void(const std::string&, std::size_t)>& on_dataset);

}  // namespace railyard::collectives::nccl
