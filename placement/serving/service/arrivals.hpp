#pragma once

#include <cstdint>
#include <string>
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

/// Requests of a trace file, in the order of arrival, the first at 0. Formats, told apart by their
/// columns: "arrival_s,input_tokens,output_tokens"; Azure ("TIMESTAMP,ContextTokens,
/// GeneratedTokens"); BurstGPT ("Timestamp,Model,Request tokens,Response tokens,...", rows without
/// an answer left out); Mooncake (.jsonl: "timestamp" in ms, "input_length", "output_length").
/// Throws InputError with line and column.
[[nodiscard]] std::vector<Request> read_request_trace(const std::string& file);

}  // namespace railyard::placement::serving
