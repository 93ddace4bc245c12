#pragma once

#include "core/units.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// The time from the failure of a link until routing avoids it. A switch detects a lost signal
/// within milliseconds. A link that fails silently is detected by BFD (3 missed messages at
/// intervals of 10 ms) and its routes are then withdrawn. RFC 7938, section 7, expects less than a
/// second with BGP in data centres.
inline constexpr Time kConvergence = Time::milliseconds(50);

/// Whether links fail or return during the run, so that routing has to converge.
[[nodiscard]] inline bool fails_later(const TimedFault& fault) {
  return (fault.at > Time() || fault.ends()) && !fault.faults.failed.empty();
}

}  // namespace railyard::topology
