#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/measurement.hpp"

namespace railyard::hw {

/// Whether a measured collective is as fast as it was predicted to be.
struct AcceptanceCheck {
  Time limit{};              ///< largest accepted median: predicted time * (1 + tolerance)
  bool is_accepted = false;  ///< the median is within the limit, and no element is wrong
};

/// The tolerance of a row, as a part of its predicted time.
using Tolerance = std::function<double(const collectives::Measurement&)>;

/// Checks live rows, all of which must have a prediction.
[[nodiscard]] std::vector<AcceptanceCheck> check_acceptance(
    std::span<const collectives::Measurement> rows, const Tolerance& tolerance);

/// The outcome as sentences: the verdict, then one sentence per collective with a failed row, and
/// the commands that find the cause. `cluster`: name of the predicted cluster.
[[nodiscard]] std::vector<std::string> acceptance_answers(
    std::span<const collectives::Measurement> rows, std::span<const AcceptanceCheck> checks,
    const std::string& cluster);

}  // namespace railyard::hw
