#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// Ranks that a trace may have. A larger number is taken for a damaged file, before memory is
/// allocated for it; the largest training jobs of 2025 have about 2^17 GPUs.
inline constexpr std::uint32_t kMostTracedRanks = 1 << 20;

/// Settings that a trace does not contain.
struct TraceImport {
  /// Ranks of the traced job; nothing: as the trace says.
  std::optional<std::uint32_t> world;
  /// Process groups by name, for formats that name groups without their ranks.
  std::map<std::string, std::vector<std::uint32_t>> groups;
  /// Collectives and messages take the time that was recorded, instead of running on a fabric.
  bool keeps_recorded = false;
  /// The time of computation that a trace gives as operations and bytes of memory; none: such nodes
  /// are errors.
  std::function<Time(double operations, double bytes)> price;
};

/// A workload and what was assumed, left out or counted on the way, a sentence each.
struct ImportedWorkload {
  Workload workload;
  std::string format;  ///< "railyard", "kineto", "chakra" or "goal"
  std::vector<std::string> notes;
  std::optional<Time> recorded;  ///< from begin to end of the trace
};

}  // namespace railyard::collectives
