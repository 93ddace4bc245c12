#pragma once

#include <cstddef>
#include <span>

#include "collectives/schedule/measurement.hpp"

namespace railyard::collectives {

/// One collective simulated with several seeds.
struct SeedSpread {
  Measurement median;  ///< the run of median time; of an even number the faster of the middle two
  std::size_t number = 0;  ///< of that run among the runs
  std::size_t seeds = 0;
  Time least, most;
  /// (most - least) / median, in percent; 0 for a median of 0.
  [[nodiscard]] double spread_pct() const;
};

/// Requires at least one run.
[[nodiscard]] SeedSpread spread_of(std::span<const Measurement> runs);

}  // namespace railyard::collectives
