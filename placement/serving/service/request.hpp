#pragma once

#include <cstdint>
#include <vector>

namespace railyard::placement::serving {

/// A request of a client.
struct Request {
  double arrival = 0;  ///< seconds
  int input = 0;       ///< tokens of the prompt
  int output = 0;      ///< tokens of the answer
  int cached = 0;      ///< leading tokens of the prompt that are cached in every replica
  /// Content of the prompt's whole blocks of kPrefixTokens. Equal numbers after equal prefixes mean
  /// equal content. Empty: the prompt shares no prefix.
  std::vector<std::uint32_t> prefix{};
  /// Seconds, measured by the service that the trace comes from; 0: unknown.
  double measured_ttft = 0;
  double measured_tpot = 0;  ///< likewise
};

/// Tokens of a block of Request::prefix (Mooncake's traces, kvcache-ai/Mooncake FAST25-release).
inline constexpr int kPrefixTokens = 512;

/// Result of a request; times in seconds from the start of the run.
struct Served {
  double arrival = 0, scheduled = 0, first_token = 0, last_token = 0;
  int input = 0, output = 0;
  int cached = 0;  ///< prompt tokens found in the cache at its last admission
  int preemptions = 0;
  int replica = -1;
  bool shed = false;  ///< does not fit into an empty KV cache
  /// Arrival to first token, seconds.
  [[nodiscard]] double ttft() const { return first_token - arrival; }
  /// (last - first) / (output - 1), seconds; 0 for a single token.
  [[nodiscard]] double tpot() const {
    return output > 1 ? (last_token - first_token) / (output - 1) : 0;
  }
  [[nodiscard]] double latency() const { return last_token - arrival; }
};

}  // namespace railyard::placement::serving
