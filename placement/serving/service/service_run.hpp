#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "placement/serving/service/replica.hpp"

namespace railyard::placement::serving {

/// Which replica gets a request: in turn, or the one with the fewest requests (the first of
/// equals).
enum class RouterPolicy { round_robin, least_requests };

struct ServiceOptions {
  int replicas = 1;
  RouterPolicy router = RouterPolicy::least_requests;
  ReplicaOptions replica{};
  /// Above 0: so many clients; a request is sent when one is finished, and arrivals are ignored.
  int concurrency = 0;
};

/// Quantiles over requests, in seconds.
struct Quantiles {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0;
};

struct ServiceResult {
  std::vector<Served> requests{};
  double duration = 0;        ///< first arrival to last token
  double mean_in_system = 0;  ///< requests, time average
  std::int64_t preemptions = 0;
  std::int64_t steps = 0;
  int shed = 0;  ///< requests that can never fit
  DurationCounts token_gaps{};

  [[nodiscard]] double output_tokens_per_s() const;
  [[nodiscard]] Quantiles ttft() const;
  [[nodiscard]] Quantiles tpot() const;
  [[nodiscard]] Quantiles latency() const;
  /// Share of requests that meet both limits, in seconds.
  [[nodiscard]] double goodput(double ttft_limit, double tpot_limit) const;
};

/// Runs requests through replicas to the last token. Every request is served or shed; Little's law
/// (time average in the system = arrivals per second · mean latency) is checked at the end, by two
/// ways of counting. Deterministic.
[[nodiscard]] ServiceResult run_service(const std::vector<Request>& requests,
                                        const ServiceOptions& options,
                                        const Replica::StepSeconds& seconds);

}  // namespace railyard::placement::serving
