#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "core/units.hpp"

namespace railyard::sim {

/// Progress of a simulation.
struct RunProgress {
  /// Simulations of many transfers first find the path of each, then run them.
  enum class Phase : std::uint8_t { paths, transfers };
  Phase phase = Phase::transfers;
  double share = 0;     ///< finished share of the phase, 0 to 1
  Time simulated = {};  ///< 0 in the phase `paths`
};

/// Called from time to time with the progress of a run, by several threads at the same time; false
/// ends the run.
using RunWatch = std::function<bool(const RunProgress&)>;

/// Called with a sentence about what a run is about to do, by several threads at the same time.
using Announce = std::function<void(const std::string& text)>;

/// Thrown by a run whose watch returned false.
struct Stopped : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

}  // namespace railyard::sim
