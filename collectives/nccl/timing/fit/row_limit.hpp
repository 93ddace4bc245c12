#pragma once

#include <string_view>

#include "collectives/nccl/timing/fit/table_predictions.hpp"

namespace railyard::collectives::nccl {

/// What bounds the prediction of a row: "host" if launches take longer than the GPUs, else the
/// larger part of the time, "latency" or the links that limit the bytes.
[[nodiscard]] std::string_view limit_of(const PredictedRow& row);

}  // namespace railyard::collectives::nccl
