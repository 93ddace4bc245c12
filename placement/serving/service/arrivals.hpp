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
/// columns: "arrival_s,input_tokens,output_tokens", with or without "prefix_blocks" (numbers of
/// Request::prefix: "0 14-27"), "ttft_ms" and "tpot_ms" (measured); Azure
/// ("TIMESTAMP,ContextTokens, GeneratedTokens"); BurstGPT ("Timestamp,Model,Request tokens,Response
/// tokens,...", rows without an answer left out); Mooncake (.jsonl: "timestamp" in ms,
/// "input_length", "output_length", "hash_ids"). Throws InputError with line and column.
[[nodiscard]] std::vector<Request> read_request_trace(const std::string& file);

/// Share of the prompts' tokens that a cache without limits would have: blocks of prefixes that an
/// earlier request has. 0 where no request has a prefix.
[[nodiscard]] double largest_cached_share(const std::vector<Request>& requests);

}  // namespace railyard::placement::serving
