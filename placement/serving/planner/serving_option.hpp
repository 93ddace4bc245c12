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
  double cv = 1;      ///< of the gaps between arrivals
  std::uint64_t seed = 1;
  double cached = 0;  ///< share of a prompt's tokens that is in the KV cache, below 1
  /// A trace in place of random arrivals; its rate and mean lengths must be those above.
  std::vector<Request> trace{};
};

/// A kind of machine from which a plan can choose.
struct ServingCandidate {
  std::string cluster{};
  Processor gpu{};
  NodeFabric fabric{};
  int gpus = 0;               ///< at most
  double price_per_hour = 0;  ///< of a GPU; 0: not known
  int cluster_gpus = 0;       ///< that the cluster has, at least `gpus`; read with `network`
  /// Exchanges of experts between nodes (StepModel::Options); null: ClosedForm.
  std::shared_ptr<const CommunicationModel> between_nodes{};
  /// What carries KV caches between pools over the cluster's links; none: NicTransfers.
  std::function<std::unique_ptr<TransferNetwork>(const PoolLayout&)> network{};
};

/// An option of a plan: a split of the model, and the number of its replicas.
struct ServingOption {
  std::string cluster{};
  Deployment deployment{};
  int replicas = 0;
  /// Of disaggregated pools: `deployment` and `replicas` decode, these compute the prompts.
  std::optional<Deployment> prefill{};
  int prefill_replicas = 0;
  std::optional<double> mean_replicas{};  ///< of `replicas`, time average; with autoscaling
  double prefill_busy = 0;  ///< share of the time that a prefill replica computes, simulated
  double cached_share = 0;  ///< of the prompts' tokens, simulated
  ServingMemory memory{};
  OpenResult load{};         ///< of a replica at its share of the rate, by closed form
  Saturation most{};         ///< of a replica, as predicted
  ThroughputRange range{};   ///< of a measured saturation over the predicted one
  double margin = 0;         ///< by which times were taken longer than predicted
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
  /// Requests per second at which all replicas saturate, as predicted.
  [[nodiscard]] double saturation() const { return most.rate * replicas; }
  /// GPUs that are paid for, time average.
  [[nodiscard]] double mean_gpus() const {
    return mean_replicas ? *mean_replicas * deployment.gpus() : gpus();
  }
  [[nodiscard]] double tokens_per_s_per_gpu() const { return tokens_per_s / gpus(); }
  [[nodiscard]] double tokens_per_s_per_user() const { return tpot.mean > 0 ? 1 / tpot.mean : 0; }
  /// The 99th percentile that is farthest beyond its limit, over that limit; 0: there are none.
  [[nodiscard]] double excess(const ServingDemand& demand) const {
    return std::max(demand.ttft > 0 ? ttft.p99 / demand.ttft : 0,
                    demand.tpot > 0 ? tpot.p99 / demand.tpot : 0);
  }
  /// Per million output tokens.
  [[nodiscard]] std::optional<double> cost_per_million() const;
};

/// Inputs of a serving plan.
struct ServingPlanRequest {
  const Model& model;
  ServingDemand demand{};
  std::vector<ServingCandidate> candidates{};
  Deployment base{};             ///< formats, engine and its settings; the splits are searched
  const Model* draft = nullptr;  ///< of base.speculation; null: a layer of the model drafts
  RouterPolicy router = RouterPolicy::least_requests;
  Autoscale autoscale{};  ///< of replicas that do both
  /// Also plan pools of replicas that compute prompts and others that decode.
  bool disaggregate = false;
  int most_pp = 4;
  /// Only these widths of tensor and of expert parallelism; empty: all that the plan tries.
  std::vector<int> only_tp{}, only_ep{};
  /// Copies of popular experts; none: beyond 8 ranks what makes one place
  /// more per rank than the experts need (DeepSeek-V3, arXiv 2412.19437, section 3.4.1).
  std::optional<int> redundant_experts{};
  /// Of the machine and engine, as calibrated; none: the shipped values of the engine.
  std::optional<StepEfficiency> efficiency{};
  /// Times are taken this much longer than predicted; none: the safe end of the calibration's
  /// range, throughput_range().
  std::optional<double> margin{};
};

}  // namespace railyard::placement::serving
