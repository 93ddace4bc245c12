#pragma once

#include <cstdint>
#include <vector>

#include "placement/serving/service/request.hpp"

namespace railyard::placement::serving {

/// Requests of equal length with random gaps.
struct ArrivalSpec {
  double rate = 1;  ///< requests per second
  double cv = 1;  ///< coefficient of variation of the gaps: 1 Poisson, 0 evenly spaced, else gamma
  int requests = 1000;
  int input = 1000;
  int output = 100;
  double spread = 0;  ///< lengths are drawn evenly from [1 - spread, 1] of input and output
  std::uint64_t seed = 1;
};
[[nodiscard]] std::vector<Request> random_arrivals(const ArrivalSpec& spec);

/// Gives requests the arrivals of `spec`, whose lengths are ignored, in their order.
void draw_arrivals(std::vector<Request>& requests, const ArrivalSpec& spec);

/// A time window of a changing load.
struct RateWindow {
  double start = 0;  ///< seconds
  double rate = 0;   ///< requests per second
  double cv = 1;     ///< of the gaps between arrivals
};
/// Requests of equal lengths with gaps of each window's mean and variation: a gap is drawn for the
/// load 1 and passes at the rate of each window that it crosses. The last window is as long as the
/// one before it. `spec` gives lengths, spread and seed.
[[nodiscard]] std::vector<Request> changing_arrivals(const std::vector<RateWindow>& windows,
                                                     const ArrivalSpec& spec);

/// Share of the prompts' tokens that a cache without limits would have: blocks of prefixes that an
/// earlier request has. 0 where no request has a prefix.
[[nodiscard]] double largest_cached_share(const std::vector<Request>& requests);

}  // namespace railyard::placement::serving
