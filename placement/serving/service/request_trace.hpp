#pragma once

#include <string>
#include <vector>

#include "placement/serving/service/arrivals.hpp"
#include "placement/serving/service/request.hpp"

namespace railyard::placement::serving {

/// Requests of a trace file, in the order of arrival, the first at 0. Formats, told apart by their
/// columns: "arrival_s,input_tokens,output_tokens", with or without "prefix_blocks" (numbers of
/// Request::prefix: "0 14-27"), "ttft_ms" and "tpot_ms" (measured); Azure
/// ("TIMESTAMP,ContextTokens, GeneratedTokens"); BurstGPT ("Timestamp,Model,Request tokens,Response
/// tokens,...", rows without an answer left out); Mooncake (.jsonl: "timestamp" in ms,
/// "input_length", "output_length", "hash_ids"); ShareGPT (.json: "conversations" of "from" and
/// "value"; each answer is a request with the conversation so far as its prompt, a token per four
/// characters; all arrive at 0). Throws InputError with line and column.
[[nodiscard]] std::vector<Request> read_request_trace(const std::string& file);

/// The load of one pool of a table of rates: "window_start_s,requests_per_s", with or without
/// "interarrival_cv_weighted" and "pool" (ServeGen by windows). Throws InputError with line and
/// column, and where the file has several pools and `pool` is none of them.
[[nodiscard]] std::vector<RateWindow> read_rate_windows(const std::string& file,
                                                        const std::string& pool);
/// The file is a table of rates.
[[nodiscard]] bool holds_rate_windows(const std::string& file);

}  // namespace railyard::placement::serving
