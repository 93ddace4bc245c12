#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/measurement.hpp"

namespace railyard::hw {

/// Sets Live::error_term of each row whose prediction error exceeds `most` (a part of 1) to the
/// term that is wrong. Rows of one algorithm and protocol are fitted by t = latency + bytes / rate,
/// once measured and once predicted:
///
///     "latency" or "bandwidth"  the term with the larger difference at that size
///     "protocol switch"         only the row next to another algorithm or protocol is wrong
///
/// With a single size it is the larger term of the prediction. `latencies`: for each row the
/// predicted time of the smallest message.
void set_error_terms(std::vector<collectives::Measurement>& rows,
                     const std::vector<Time>& latencies, double most);

/// A sentence if the best busbw of the rows is less than `least`; else empty.
[[nodiscard]] std::string below_floor(const std::vector<collectives::Measurement>& rows,
                                      Bandwidth least);

}  // namespace railyard::hw
