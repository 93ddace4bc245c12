#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// A split of a candidate, with the model of its steps. `request` and `candidate` must outlive it.
struct PlanCase {
  const ServingPlanRequest& request;
  const ServingCandidate& candidate;
  Deployment deployment;
  ServingMemory memory;
  StepModel step;
  ThroughputRange range;  ///< of the candidate's GPU and the model
  double margin;          ///< of the request, or the safe end of the range

  /// Of a step, with the margin.
  [[nodiscard]] double seconds(const StepBatch& batch) const {
    return (1 + margin) * step.time(batch).total();
  }
  /// An option without replicas.
  [[nodiscard]] ServingOption option() const;
  /// How a simulated replica schedules.
  [[nodiscard]] ReplicaOptions replica() const;
  /// A replica's share of the demand.
  [[nodiscard]] OpenLoad load(int replicas) const;
  /// One sequence fits into the memory.
  [[nodiscard]] bool fits() const;
};

/// `tabulated`: StepModel::Options::tabulated_tokens.
[[nodiscard]] PlanCase plan_case(const ServingPlanRequest& request,
                                 const ServingCandidate& candidate, const Deployment& deployment,
                                 int tabulated);

/// The splits of a candidate: tp up to a node, pp, experts cut or spread; and data-parallel
/// attention over 1, 2, 4, ... nodes that share the experts, with tp inside a node.
[[nodiscard]] std::vector<Deployment> splits(const ServingPlanRequest& request,
                                             const ServingCandidate& candidate);

/// Why no candidate of the request has a split with experts over `ep` ranks.
[[nodiscard]] std::string why_no_split(const ServingPlanRequest& request, int ep);

/// The cases of a plan's option: one for the replicas that decode, one for those that process
/// prompts.
class OptionCases {
 public:
  /// The request must outlive it. The option is of one of its candidates.
  OptionCases(const ServingPlanRequest& request, const ServingOption& option);
  [[nodiscard]] const PlanCase& decode() const { return decode_; }
  /// Null where replicas do both.
  [[nodiscard]] const PlanCase* prefill() const { return prefill_ ? &*prefill_ : nullptr; }

 private:
  PlanCase decode_;
  std::optional<PlanCase> prefill_{};
};

/// The requests that a plan simulates: the trace, or random ones.
[[nodiscard]] std::vector<Request> plan_requests(const ServingDemand& demand);

/// The option's replicas serve the requests. `prefill` is the case of option.prefill, or null; its
/// caches go over ServingCandidate::network.
[[nodiscard]] ServiceResult run_option(const PlanCase& c, const PlanCase* prefill,
                                       const std::vector<Request>& requests,
                                       const ServingOption& option, const StepWatch& watch = {});
/// Part of a TTFT that the simulation of steps does not see, in seconds: the stages of a pipeline.
/// `prompts` computes them.
[[nodiscard]] double seconds_outside(const PlanCase& prompts);

/// Times of an option, and whether it meets the limits, by run_option().
void simulate(const PlanCase& c, const PlanCase* prefill, const std::vector<Request>& requests,
              ServingOption& option);

/// Cost and power of an option; `prefill` is the case of option.prefill, or null.
void price(const PlanCase& c, const PlanCase* prefill, ServingOption& option);

/// Seconds for the KV cache of a prompt from a prefill replica to one that decodes, over the NICs:
/// start and per token. Each GPU of a copy of attention that decodes gets its part; the NICs of the
/// smaller side limit.
/// Llama 3 70B in bf16, tp 8: 40,960 B per token and GPU, so 2,000 tokens take 1.64 ms at 50 GB/s.
struct TransferTime {
  double start = 0, per_token = 0;
};
[[nodiscard]] TransferTime kv_transfer(const NodeFabric& fabric, const Deployment& prefill,
                                       const Deployment& decode, double kv_token_bytes);

}  // namespace railyard::placement::serving
