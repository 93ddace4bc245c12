#pragma once

#include <string>
#include <vector>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// Requests per second of a trace: (requests - 1) / last arrival. 0 if all arrive at the same time.
/// The trace must not be empty.
[[nodiscard]] double request_rate(const std::vector<Request>& trace);

/// The demand that a trace describes.
struct TracedDemand {
  ServingDemand demand{};
  std::vector<std::string> notes{};  ///< contents of the trace, and assumptions
};

/// `asked` with the requests of a trace, their mean lengths, and the token share that an unlimited
/// prefix cache would hit. If asked.rate is not 0, the trace's times are rescaled to it; a trace
/// without times then gets Poisson arrivals. Either the trace or `asked` must have a rate.
[[nodiscard]] TracedDemand traced_demand(ServingDemand asked, std::vector<Request> trace);

}  // namespace railyard::placement::serving
