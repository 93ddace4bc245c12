#pragma once

#include <cstddef>
#include <span>

#include "collectives/schedule/measurement.hpp"

namespace railyard::collectives {

/// One collective simulated with several seeds: the median and the spread of its times.
struct SeedSpread {
  /// The run with the median time; of an even number of runs the faster middle one.
  Measurement median;
  std::size_t number = 0;  ///< index of that run
  std::size_t seeds = 0;
  Time least, most;
  /// (most - least) / median, in percent; 0 for a median of 0.
  [[nodiscard]] double spread_pct() const;
};

/// Requires at least one run.
[[nodiscard]] SeedSpread spread_of(std::span<const Measurement> runs);

}  // namespace railyard::collectives
