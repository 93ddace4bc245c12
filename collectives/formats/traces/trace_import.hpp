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

/// The largest number of ranks of a trace. A larger number indicates a damaged file and is rejected
/// before memory is allocated. The largest training jobs of 2025 have about 2^17 GPUs.
inline constexpr std::uint32_t kMostTracedRanks = 1 << 20;

/// Settings that a trace does not contain.
struct TraceImport {
  /// The number of ranks of the traced job; nothing: from the trace.
  std::optional<std::uint32_t> world;
  /// Process groups by name, for formats that contain only the names of groups.
  std::map<std::string, std::vector<std::uint32_t>> groups;
  /// Collectives and messages take their recorded time instead of a simulated one.
  bool keeps_recorded = false;
  /// The time of computation for which a trace has only operations and bytes of memory; not set:
  /// such nodes are errors.
  std::function<Time(double operations, double bytes)> price;
};

/// An imported workload, with notes on assumptions and omissions.
struct ImportedWorkload {
  Workload workload;
  std::string format;  ///< "railyard", "kineto", "chakra" or "goal"
  std::vector<std::string> notes;
  std::optional<Time> recorded;  ///< duration of the trace
};

}  // namespace railyard::collectives
