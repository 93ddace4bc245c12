#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// Names in Live::off_by, for each row whose prediction is off by more than `most` (a part of 1),
/// the term that is: rows of one algorithm and protocol are fitted by t = latency + bytes / rate,
/// measured and predicted each, and the term with the larger difference at that size is it.
/// "protocol switch" is a row beside another algorithm or protocol while the rest of its own fit.
/// Where there is one size alone, the term that makes up more of the prediction (`latencies`,
/// beside the rows: what the least message is predicted to take).
void name_terms(std::vector<collectives::Measurement>& rows, const std::vector<Time>& latencies,
                double most);

/// Empty, or that the best busbw of the rows is less than `least`.
[[nodiscard]] std::string below_floor(const std::vector<collectives::Measurement>& rows,
                                      Bandwidth least);

}  // namespace railyard::apps
