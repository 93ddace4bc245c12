#include "collectives/schedule/finite_time.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::collectives {

Time finite_time(double seconds) {
  const Time time = Time::from_seconds(seconds);
  // A quarter of the range, so that start times and sums of a few durations do not overflow.
  if (seconds >= 0 && time.picoseconds() < Time::never().picoseconds() / 4) return time;
  throw InputError("", "--bytes",
                   fmt::format("takes {:.3g} days, longer than can be simulated", seconds / 86400),
                   "simulate a smaller size: times of large messages grow in proportion");
}

}  // namespace railyard::collectives
