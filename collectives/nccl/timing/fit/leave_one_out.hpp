#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/table_predictions.hpp"

namespace railyard::collectives::nccl {

/// The error in per cent of every row, predicted with parameters that were fitted to all other
/// tables, from the default start values. `on_table` is called with the name of each table before
/// its fit.
[[nodiscard]] std::vector<double> errors_left_out(
    const Predictions& predictions, const std::function<void(const std::string&)>& on_table);

}  // namespace railyard::collectives::nccl
