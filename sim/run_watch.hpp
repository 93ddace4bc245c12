#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "core/units.hpp"

namespace railyard::sim {

/// How far a simulation is.
struct RunProgress {
  /// Simulations of many transfers first find the path of each, then run them.
  enum class Phase : std::uint8_t { paths, transfers };
  Phase phase = Phase::transfers;
  double share = 0;     ///< of the phase that is done, 0 to 1
  Time simulated = {};  ///< none in the phase `paths`
};

/// Told now and then how far a run is, by several threads at a time; false ends the run.
using RunWatch = std::function<bool(const RunProgress&)>;

/// Told what a run is about to do, in a sentence, by several threads at a time.
using Announce = std::function<void(const std::string& text)>;

/// Thrown by a run whose watch returned false.
struct Stopped : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

}  // namespace railyard::sim
