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

/// How a replica is selected for a request:
/// - round_robin: in turn, then its copy of attention with the fewest requests;
/// - least_requests: the first with the fewest requests;
/// - prefix_aware: among replicas with at most kPrefixQueue requests more than the least loaded,
///   the one with most of the prompt cached, if that is at least half of the prompt's blocks.
enum class RouterPolicy { round_robin, least_requests, prefix_aware };

/// Longer queue that a cached prefix is worth, in requests, and share of a prompt that must be
/// cached. Values of SGLang's router (balance_abs_threshold, cache_threshold). Without the share a
/// system prompt common to all requests would send all of them to one replica.
inline constexpr std::size_t kPrefixQueue = 32;
inline constexpr double kPrefixShare = 0.5;

/// A pool of replicas that only compute prompts, and the transfer of their KV caches to the
/// replicas that decode.
///
/// With `look_steps` a request first goes to the replica that will decode it. This replica looks
/// for new requests every look_steps steps, or at once if it has none. It reserves memory, and then
/// the prompt is computed (SGLang). Without `look_steps` the prompt is computed at once, and the
/// cache is sent to the replica with the fewest requests (vLLM, TensorRT-LLM). In both cases the
/// decode replica sends the first token (ReplicaOptions::first_on_admission).
struct PrefillPool {
  int replicas = 0;  ///< 0: no pool; the replicas of the service compute prompts and decode
  int copies = 1;    ///< copies of attention per replica
  int look_steps = 0;
  ReplicaOptions replica{};
  Replica::StepSeconds seconds{};
  /// Makes a new network for each run.
  std::function<std::unique_ptr<TransferNetwork>()> network{};
};

/// PrefillPool::look_steps of replicas that decode with `deployment`.
[[nodiscard]] int look_steps(const Deployment& deployment);

/// The replicas of a service, and how requests are distributed.
struct ServiceOptions {
  int replicas = 1;  ///< maximum number with autoscale
  /// Copies of attention per replica (data-parallel attention). Each has its own queue, batch and
  /// KV cache, described by `replica`. All copies start and end their steps together, at the pace
  /// of the slowest.
  int copies = 1;
  RouterPolicy router = RouterPolicy::least_requests;
  /// Number of front ends with round_robin. Each gets a random share of the requests and takes
  /// turns independently of the others, separately for each pool.
  int routers = 1;
  ReplicaOptions replica{};
  /// Number of clients of a closed loop: each sends its next request when one is finished, and
  /// arrivals are ignored. 0: open loop.
  int concurrency = 0;
  PrefillPool prefill{};
  Frontend frontend{};    ///< of each replica
  Autoscale autoscale{};  ///< only without a prefill pool
  StepWatch watch{};      ///< called for each step
};

/// Quantiles over requests, in seconds.
struct Quantiles {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0;
};

/// Result of a simulated service; times in seconds.
struct ServiceResult {
  std::vector<Served> requests{};
  double duration = 0;        ///< first arrival to last token
  double mean_in_system = 0;  ///< requests, time average
  std::int64_t preemptions = 0;
  std::int64_t swaps = 0;    ///< preemptions that copied the KV cache to the host
  double mean_replicas = 0;  ///< replicas that serve, start or stop; time average
  std::int64_t steps = 0;
  int shed = 0;  ///< requests that do not fit into an empty KV cache
  /// Share of the time in which replicas of a pool compute.
  double prefill_busy = 0, decode_busy = 0;
  DurationCounts token_gaps{};

  [[nodiscard]] double output_tokens_per_s() const;
  [[nodiscard]] Quantiles ttft() const;
  [[nodiscard]] Quantiles tpot() const;
  [[nodiscard]] Quantiles latency() const;
  /// Share of prompt tokens that were found in a cache.
  [[nodiscard]] double cached_share() const;
  /// Share of requests that meet both limits, given in seconds.
  [[nodiscard]] double goodput(double ttft_limit, double tpot_limit) const;
};

/// Simulates all requests until their last token. Every request is served or shed. Little's law
/// (mean number in the system = arrivals per second · mean latency) is checked at the end, with
/// both sides counted separately. Deterministic.
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
