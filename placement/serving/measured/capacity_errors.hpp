#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/error_groups.hpp"
#include "placement/serving/measured/capacity_runs.hpp"

namespace railyard::placement::serving {

/// A measured capacity and its prediction. The measured run must outlive it.
struct ComparedCapacity {
  const CapacityRun* run = nullptr;
  PredictedCapacity predicted{};
  [[nodiscard]] double error_pct() const {
    return core::error_pct(predicted.tokens_per_s, run->measured);
  }
};

/// Predicts each run with the shipped efficiencies.
[[nodiscard]] std::vector<ComparedCapacity> compare_capacities(std::span<const CapacityRun> runs);

/// Errors of a benchmark on a machine in per cent.
struct CapacityErrors {
  std::string group{};
  std::string split{};  ///< the best split of the first run; "" for a summary of several benchmarks
  core::ErrorSummary errors{};
};

/// An entry per benchmark and machine, then "all at once", "all within limits of latency" and
/// "all". Groups without runs have no entry.
[[nodiscard]] std::vector<CapacityErrors> capacity_errors(std::span<const ComparedCapacity> runs);

}  // namespace railyard::placement::serving
