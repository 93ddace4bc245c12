#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// A split of a candidate with its step model. `request` and `candidate` must outlive it.
struct PlanCase {
  const ServingPlanRequest& request;
  const ServingCandidate& candidate;
  Deployment deployment;
  ServingMemory memory;
  StepModel step;
  ThroughputRange range;  ///< for the candidate's GPU and the model
  double margin;  ///< by which times are increased: of the request, or the safe end of the range

  /// Time of a step in seconds, with the margin.
  [[nodiscard]] double seconds(const StepBatch& batch) const {
    return (1 + margin) * step.time(batch).total();
  }
  /// An option without replicas.
  [[nodiscard]] ServingOption option() const;
  /// Scheduling options of a simulated replica.
  [[nodiscard]] ReplicaOptions replica() const;
  /// A replica's share of the demand.
  [[nodiscard]] OpenLoad load(int replicas) const;
  /// True if at least one sequence fits into the memory.
  [[nodiscard]] bool fits() const;
};

/// `tabulated`: StepModel::Options::tabulated_tokens.
[[nodiscard]] PlanCase plan_case(const ServingPlanRequest& request,
                                 const ServingCandidate& candidate, const Deployment& deployment,
                                 int tabulated);

/// The splits of a candidate to try: tp up to a node, pp, experts cut over ranks or spread; and
/// data-parallel attention over 1, 2, 4, ... nodes that share the experts, with tp inside a node.
[[nodiscard]] std::vector<Deployment> splits(const ServingPlanRequest& request,
                                             const ServingCandidate& candidate);

/// The reason why no candidate has a split with experts over `ep` ranks.
[[nodiscard]] std::string why_no_split(const ServingPlanRequest& request, int ep);

/// The cases of a plan's option: decode replicas, and prefill replicas if it has pools.
class OptionCases {
 public:
  /// `request` must outlive it. `option` must be of one of its candidates.
  OptionCases(const ServingPlanRequest& request, const ServingOption& option);
  [[nodiscard]] const PlanCase& decode() const { return decode_; }
  /// Null if there is no prefill pool.
  [[nodiscard]] const PlanCase* prefill() const { return prefill_ ? &*prefill_ : nullptr; }

 private:
  PlanCase decode_;
  std::optional<PlanCase> prefill_{};
};

/// The requests that a plan simulates: its trace, or random ones.
[[nodiscard]] std::vector<Request> plan_requests(const ServingDemand& demand);

/// Simulates the option's replicas with the requests. `prefill` is the case of option.prefill, or
/// null; KV caches are sent over ServingCandidate::network.
[[nodiscard]] ServiceResult run_option(const PlanCase& c, const PlanCase* prefill,
                                       const std::vector<Request>& requests,
                                       const ServingOption& option, const StepWatch& watch = {});
/// Part of a TTFT in seconds that the simulation of steps does not contain: the pipeline stages.
/// `prompts` is the case that computes prompts.
[[nodiscard]] double seconds_outside(const PlanCase& prompts);

/// Simulates the option with run_option() and sets its latencies, and whether it meets the limits.
void simulate(const PlanCase& c, const PlanCase* prefill, const std::vector<Request>& requests,
              ServingOption& option);

/// Sets cost and power of an option. `prefill` is the case of option.prefill, or null.
void price(const PlanCase& c, const PlanCase* prefill, ServingOption& option);

/// Seconds to send the KV cache of a prompt from a prefill to a decode replica over the NICs: start
/// and time per token. Each GPU of a decoding copy of attention receives its part. The NICs of the
/// side with fewer GPUs limit the rate.
/// Llama 3 70B in bf16, tp 8: 40,960 B per token and GPU, so 2,000 tokens take 1.64 ms at 50 GB/s.
struct TransferTime {
  double start = 0, per_token = 0;
};
[[nodiscard]] TransferTime kv_transfer(const NodeFabric& fabric, const Deployment& prefill,
                                       const Deployment& decode, double kv_token_bytes);

}  // namespace railyard::placement::serving
