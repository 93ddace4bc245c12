#pragma once

#include <cstdint>
#include <vector>

#include "placement/serving/service/request.hpp"

namespace railyard::placement::serving {

/// Requests of equal length with random gaps between arrivals.
struct ArrivalSpec {
  double rate = 1;  ///< requests per second
  /// Coefficient of variation of the gaps. 1: Poisson, 0: evenly spaced, else gamma distributed.
  double cv = 1;
  int requests = 1000;
  int input = 1000;
  int output = 100;
  double spread = 0;  ///< lengths are drawn evenly from [1 - spread, 1] of input and output
  std::uint64_t seed = 1;
};
/// Requests in the order of their arrival.
[[nodiscard]] std::vector<Request> random_arrivals(const ArrivalSpec& spec);

/// Sets the arrivals of existing requests, in their order. Lengths of `spec` are ignored.
void draw_arrivals(std::vector<Request>& requests, const ArrivalSpec& spec);

/// A time window of a load that changes.
struct RateWindow {
  double start = 0;  ///< seconds
  double rate = 0;   ///< requests per second
  double cv = 1;     ///< of the gaps between arrivals
};
/// Requests of equal lengths whose gaps have the mean and variation of each window. A gap is drawn
/// with mean 1 and shrinks at the request rate of each window that it crosses: a gap of 1 lasts
/// 0.1 s at 10 requests per second. The last window is as long as the one before it. `spec`
/// contains lengths, spread and seed.
[[nodiscard]] std::vector<Request> changing_arrivals(const std::vector<RateWindow>& windows,
                                                     const ArrivalSpec& spec);

/// Share of prompt tokens that a cache of unlimited size would hit: prefix blocks that an earlier
/// request also has. 0 if no request has a prefix.
[[nodiscard]] double largest_cached_share(const std::vector<Request>& requests);

}  // namespace railyard::placement::serving
