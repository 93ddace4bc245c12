#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/table_predictions.hpp"
#include "collectives/nccl/timing/range/prediction_ranges.hpp"

namespace railyard::collectives::nccl {

/// The parts of the machines that predicted tables ran on. Throws InputError.
[[nodiscard]] std::vector<MeasuredPart> measured_parts(const Predictions& predictions);

/// What a range is asked for, by row. Throws InputError.
[[nodiscard]] std::vector<RangeQuery> range_queries(const Predictions& predictions,
                                                    const std::vector<MeasuredPart>& measured);

/// Residuals of every dataset, the tables of one source on one cluster, predicted with parameters
/// that were fitted to all other datasets. Sweeps of more than kSweepRows rows are thinned evenly:
/// a sweep has the weight of one however many rows it has. A dataset is no evidence for its own
/// parts. `on_dataset` is called with the name of each before its fit and the number of datasets.
[[nodiscard]] std::vector<Residual> table_residuals(
    const Predictions& predictions,
    const std::function<void(const std::string&, std::size_t)>& on_dataset);

}  // namespace railyard::collectives::nccl
