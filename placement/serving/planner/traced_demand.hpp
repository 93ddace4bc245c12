#pragma once

#include <string>
#include <vector>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// Requests per second of a trace: (requests - 1) / last arrival; 0 where all arrive at once. The
/// trace must not be empty.
[[nodiscard]] double request_rate(const std::vector<Request>& trace);

/// The demand of a trace.
struct TracedDemand {
  ServingDemand demand{};
  std::vector<std::string> notes{};  ///< what the trace has, and what was assumed
};

/// `asked` with the requests of a trace, their mean lengths, and the share of tokens that a cache
/// without limits would have. The trace's times are rescaled to asked.rate where that is not 0; a
/// trace without times then gets Poisson arrivals. One of the two must have a rate.
[[nodiscard]] TracedDemand traced_demand(ServingDemand asked, std::vector<Request> trace);

}  // namespace railyard::placement::serving
