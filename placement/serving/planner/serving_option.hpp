#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "placement/cost/closed_form.hpp"
#include "placement/serving/load/closed_loop.hpp"
#include "placement/serving/load/open_load.hpp"
#include "placement/serving/load/throughput_range.hpp"
#include "placement/serving/planner/pool_layout.hpp"
#include "placement/serving/service/service_run.hpp"
#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

/// Traffic and limits of a service.
struct ServingDemand {
  double rate = 1;    ///< requests per second
  double input = 1;   ///< tokens of a prompt, mean
  double output = 1;  ///< tokens of an answer, mean
  double ttft = 0;    ///< limit in seconds; 0: none
  double tpot = 0;    ///< limit in seconds; 0: none
  double cv = 1;      ///< coefficient of variation of the gaps between arrivals
  std::uint64_t seed = 1;
  double cached = 0;  ///< share of a prompt's tokens found in the KV cache, below 1
  /// A trace that replaces random arrivals. Its rate and mean lengths must equal those above.
  std::vector<Request> trace{};
};

/// A type of machine that a plan may use.
struct ServingCandidate {
  std::string cluster{};
  Processor gpu{};
  NodeFabric fabric{};
  int gpus = 0;               ///< GPUs that the plan may use
  double price_per_hour = 0;  ///< per GPU; 0: unknown
  int cluster_gpus = 0;       ///< size of the cluster, at least `gpus`; used by `network`
  /// Expert exchanges between nodes (StepModel::Options); null: ClosedForm.
  std::shared_ptr<const CommunicationModel> between_nodes{};
  /// The network that sends KV caches between pools over the cluster's links; none: NicTransfers.
  std::function<std::unique_ptr<TransferNetwork>(const PoolLayout&)> network{};
};

/// An option of a plan: a split of the model, and the number of its replicas.
struct ServingOption {
  std::string cluster{};
  Deployment deployment{};
  int replicas = 0;
  /// Prefill pool: these replicas compute prompts, and `deployment` with `replicas` decodes.
  std::optional<Deployment> prefill{};
  int prefill_replicas = 0;
  std::optional<double> mean_replicas{};  ///< time average of `replicas`, with autoscaling
  double prefill_busy = 0;  ///< share of the time in which a prefill replica computes, simulated
  double cached_share = 0;  ///< share of prompt tokens found in the cache, simulated
  ServingMemory memory{};
  OpenResult load{};         ///< of one replica at its share of the rate, closed form
  Saturation most{};         ///< saturation of one replica, as predicted
  ThroughputRange range{};   ///< measured / predicted saturation
  double margin = 0;         ///< relative increase of the predicted times
  Quantiles ttft{}, tpot{};  ///< simulated
  double goodput = 0;        ///< share of requests within both limits, simulated
  double tokens_per_s = 0;   ///< output tokens of all replicas
  std::optional<double> cost_per_hour{};
  double power = 0;  ///< W of all GPUs; 0: not known
  bool meets = false;
  bool is_pareto = false;

  [[nodiscard]] int gpus() const {
    return replicas * deployment.gpus() + (prefill ? prefill_replicas * prefill->gpus() : 0);
  }
  /// Requests per second at which all replicas together saturate, as predicted.
  [[nodiscard]] double saturation() const { return most.rate * replicas; }
  /// GPUs to pay for, time average.
  [[nodiscard]] double mean_gpus() const {
    return mean_replicas ? *mean_replicas * deployment.gpus() : gpus();
  }
  [[nodiscard]] double tokens_per_s_per_gpu() const { return tokens_per_s / gpus(); }
  [[nodiscard]] double tokens_per_s_per_user() const { return tpot.mean > 0 ? 1 / tpot.mean : 0; }
  /// The largest ratio of a 99th percentile to its limit; 0 without limits.
  [[nodiscard]] double excess(const ServingDemand& demand) const {
    return std::max(demand.ttft > 0 ? ttft.p99 / demand.ttft : 0,
                    demand.tpot > 0 ? tpot.p99 / demand.tpot : 0);
  }
  /// Cost per million output tokens.
  [[nodiscard]] std::optional<double> cost_per_million() const;
};

/// Inputs of a serving plan.
struct ServingPlanRequest {
  const Model& model;
  ServingDemand demand{};
  std::vector<ServingCandidate> candidates{};
  Deployment base{};  ///< formats, engine and its settings; the split is searched
  /// Draft model of base.speculation; null: one layer of the model drafts.
  const Model* draft = nullptr;
  RouterPolicy router = RouterPolicy::least_requests;
  Autoscale autoscale{};  ///< of replicas without a prefill pool
  /// Also plan separate prefill and decode pools.
  bool disaggregate = false;
  int most_pp = 4;
  /// Only these widths of tensor and expert parallelism; empty: all that the plan tries.
  std::vector<int> only_tp{}, only_ep{};
  /// Redundant copies of popular experts. Empty: beyond 8 ranks, one place more per rank than the
  /// experts need (DeepSeek-V3, arXiv 2412.19437, section 3.4.1).
  std::optional<int> redundant_experts{};
  /// Calibrated efficiencies of the machine and engine; empty: the engine's shipped values.
  std::optional<StepEfficiency> efficiency{};
  /// Relative increase of predicted times; empty: the safe end of the calibration's range,
  /// throughput_range().
  std::optional<double> margin{};
};

}  // namespace railyard::placement::serving
