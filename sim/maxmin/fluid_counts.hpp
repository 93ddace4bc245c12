#pragma once

#include <cstdint>
#include <string>

#include "sim/maxmin/coalescing_error.hpp"

namespace railyard::sim {

/// Counts of the solution methods of a Fluid, for provenance.
struct FluidCounts {
  std::uint64_t full = 0, partial = 0, local = 0, unchanged = 0;
  std::uint64_t level_solves = 0, level_passes = 0;
  std::uint64_t prunings = 0, pruned_links = 0;  ///< omitted links that cannot saturate
  std::uint64_t equal_starts = 0;                ///< batches solved once
  std::uint64_t folded_streams = 0, folded_classes = 0;
  std::uint64_t symmetric_sets =
      0;                ///< of Fluid::add_symmetric; their streams are among the folded
  bool merges = false;  ///< FluidOptions::coalesce was set
  CoalescingError early;

  /// Adds the counts of an independent Fluid.
  void add(const FluidCounts& other);
};

/// "max-min: 3 full, 0 partial, 12 local solves, ...".
[[nodiscard]] std::string to_text(const FluidCounts& counts);

}  // namespace railyard::sim
