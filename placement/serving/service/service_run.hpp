#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/enum_names.hpp"
#include "placement/serving/service/replica.hpp"
#include "placement/serving/service/replica_fleet.hpp"
#include "placement/serving/service/step_record.hpp"
#include "placement/serving/service/transfer_network.hpp"

namespace railyard::placement::serving {

/// Which replica gets a request: in turn (its copy of attention with the fewest requests); the one
/// with the fewest requests (the first of equals); or, of those with at most kPrefixQueue requests
/// more than the fewest, the one that has most of the prompt cached, if that is at least half of
/// its blocks.
enum class RouterPolicy { round_robin, least_requests, prefix_aware };

/// How much longer a queue a cached prefix is worth, and the share of a prompt that must be cached:
/// SGLang's router (balance_abs_threshold, cache_threshold). A system prompt that all requests
/// share would otherwise draw them to one replica.
inline constexpr std::size_t kPrefixQueue = 32;
inline constexpr double kPrefixShare = 0.5;

/// A pool of replicas that only process prompts, and the transfer of their KV caches to the
/// replicas that decode.
///
/// With `look_steps` a request first goes to the replica that will decode it, which looks for new
/// requests before every look_steps-th of its steps, at once where it has none. It reserves memory,
/// then the prompt is computed (SGLang). Without, the prompt is computed at once, and the cache
/// goes to the replica with the fewest requests (vLLM, TensorRT-LLM). In both cases the first token
/// comes from the replica that decodes (ReplicaOptions::first_on_admission).
struct PrefillPool {
  int replicas = 0;  ///< 0: the replicas of the service do both
  int copies = 1;    ///< of attention in a replica
  int look_steps = 0;
  ReplicaOptions replica{};
  Replica::StepSeconds seconds{};
  std::function<std::unique_ptr<TransferNetwork>()> network{};  ///< a new one for each run
};

/// PrefillPool::look_steps before replicas that decode with `deployment`.
[[nodiscard]] int look_steps(const Deployment& deployment);

struct ServiceOptions {
  int replicas = 1;  ///< at most, with autoscale
  /// Copies of attention in a replica (data-parallel attention): each has its own queue, batch and
  /// KV cache, as `replica` describes, and all begin and end their steps together, as the slowest.
  int copies = 1;
  RouterPolicy router = RouterPolicy::least_requests;
  /// With round_robin: front ends that take turns on their own, each with a random share of the
  /// requests; each pool has turns of its own.
  int routers = 1;
  ReplicaOptions replica{};
  /// Above 0: so many clients; a request is sent when one is finished, and arrivals are ignored.
  int concurrency = 0;
  PrefillPool prefill{};
  Frontend frontend{};    ///< of each replica
  Autoscale autoscale{};  ///< without a prefill pool
  StepWatch watch{};      ///< sees each step
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
  std::int64_t swaps = 0;    ///< preemptions that copied the KV cache to the host
  double mean_replicas = 0;  ///< that run, start or end; time average
  std::int64_t steps = 0;
  int shed = 0;                              ///< requests that can never fit
  double prefill_busy = 0, decode_busy = 0;  ///< share of the time that replicas of a pool step
  DurationCounts token_gaps{};

  [[nodiscard]] double output_tokens_per_s() const;
  [[nodiscard]] Quantiles ttft() const;
  [[nodiscard]] Quantiles tpot() const;
  [[nodiscard]] Quantiles latency() const;
  /// Share of the prompts' tokens that were found in a cache.
  [[nodiscard]] double cached_share() const;
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

namespace railyard {

template <>
struct core::EnumNames<placement::serving::RouterPolicy> {
  using P = placement::serving::RouterPolicy;
  static constexpr std::array<std::pair<P, std::string_view>, 3> table{
      {{P::round_robin, "round_robin"},
       {P::least_requests, "least_requests"},
       {P::prefix_aware, "prefix_aware"}}};
};

}  // namespace railyard
