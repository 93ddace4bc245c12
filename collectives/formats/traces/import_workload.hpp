#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// What a trace does not say.
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

/// Whether a file is Railyard's own JSON form. Throws InputError for a file of no known format.
[[nodiscard]] bool is_own_workload(const std::string& file);

/// Reads a workload from the files of one job: Railyard's JSON or GOAL (one file), PyTorch profiles
/// or Chakra traces (a file per rank, or a folder of them; .gz where the tool writes it). The
/// format is told by the content. Throws InputError with file and place of everything that is
/// wrong, also for what check_workload() finds.
[[nodiscard]] ImportedWorkload import_workload(std::span<const std::string> files,
                                               const TraceImport& import);

}  // namespace railyard::collectives
