#pragma once

#include <string>
#include <vector>

#include "placement/serving/service/arrivals.hpp"
#include "placement/serving/service/request.hpp"

namespace railyard::placement::serving {

/// Reads the requests of a trace file, in order of arrival, the first at 0. The format is found by
/// its columns or extension:
///
/// - "arrival_s,input_tokens,output_tokens", optionally with "prefix_blocks" (Request::prefix:
///   "0 14-27"), "ttft_ms" and "tpot_ms" (measured);
/// - Azure: "TIMESTAMP,ContextTokens,GeneratedTokens";
/// - BurstGPT: "Timestamp,Model,Request tokens,Response tokens,..."; rows without an answer are
///   left out;
/// - Mooncake (.jsonl): "timestamp" in ms, "input_length", "output_length", "hash_ids";
/// - ShareGPT (.json): "conversations" with "from" and "value". Each answer is a request; its
///   prompt is the conversation so far, with four characters per token. All arrive at 0.
///
/// Throws InputError with line and column.
[[nodiscard]] std::vector<Request> read_request_trace(const std::string& file);

/// Reads the load of one pool from a table of rates: "window_start_s,requests_per_s", optionally
/// with "interarrival_cv_weighted" and "pool" (ServeGen by windows). Throws InputError with line
/// and column, or if the file has several pools and `pool` is not one of them.
[[nodiscard]] std::vector<RateWindow> read_rate_windows(const std::string& file,
                                                        const std::string& pool);
/// True if the file is a table of rates.
[[nodiscard]] bool holds_rate_windows(const std::string& file);

}  // namespace railyard::placement::serving
