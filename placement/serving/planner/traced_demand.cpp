#include "placement/serving/planner/traced_demand.hpp"

#include <fmt/format.h>

#include <utility>

#include "placement/serving/service/arrivals.hpp"

namespace railyard::placement::serving {

double request_rate(const std::vector<Request>& trace) {
  const double span = trace.back().arrival;
  return span > 0 ? (static_cast<double>(trace.size()) - 1) / span : 0;
}

TracedDemand traced_demand(ServingDemand asked, std::vector<Request> trace) {
  TracedDemand traced{.demand = std::move(asked)};
  ServingDemand& demand = traced.demand;
  demand.trace = std::move(trace);
  const double own = request_rate(demand.trace);
  if (demand.rate > 0 && own > 0) {
    for (Request& r : demand.trace) r.arrival *= own / demand.rate;
  } else if (demand.rate > 0) {
    draw_arrivals(demand.trace, {.rate = demand.rate, .seed = demand.seed});
    traced.notes.emplace_back("the trace has no times: Poisson arrivals at --rate");
  } else {
    demand.rate = own;
  }
  double input = 0, output = 0;
  for (const Request& r : demand.trace) {
    input += r.input;
    output += r.output;
  }
  const auto count = static_cast<double>(demand.trace.size());
  demand.input = input / count;
  demand.output = output / count;
  if (const double largest = largest_cached_share(demand.trace); largest > 0) {
    demand.cached = largest;
    traced.notes.push_back(
        fmt::format("{:.0f} % of the prompts' tokens repeat an earlier prefix; a cache of finite "
                    "size has fewer",
                    100 * largest));
  }
  traced.notes.push_back(
      fmt::format("{} requests of the trace at {:.3g} per second: {:.0f} tokens in and {:.0f} out "
                  "on average",
                  demand.trace.size(), demand.rate, demand.input, demand.output));
  return traced;
}

}  // namespace railyard::placement::serving
