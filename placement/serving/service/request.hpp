#pragma once

#include <cstdint>
#include <vector>

namespace railyard::placement::serving {

/// What a client asks.
struct Request {
  double arrival = 0;  ///< seconds
  int input = 0;       ///< tokens of the prompt
  int output = 0;      ///< tokens of the answer
};

/// What became of a request; times in seconds from the start of the run.
struct Served {
  double arrival = 0, scheduled = 0, first_token = 0, last_token = 0;
  int input = 0, output = 0;
  int preemptions = 0;
  int replica = -1;
  bool shed = false;  ///< can never fit into a replica's KV cache
  /// Arrival to first token.
  [[nodiscard]] double ttft() const { return first_token - arrival; }
  /// (last - first) / (output - 1); 0 of a single token.
  [[nodiscard]] double tpot() const {
    return output > 1 ? (last_token - first_token) / (output - 1) : 0;
  }
  [[nodiscard]] double latency() const { return last_token - arrival; }
};

}  // namespace railyard::placement::serving
