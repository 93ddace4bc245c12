#include "collectives/nccl/tuning/copy_engine_model.hpp"

#include <algorithm>

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

/// CE_AG_FLOOR without a graph: us, and us per rank.
struct Floor {
  float base, per_rank;
};

struct Rates {
  Floor unicast, multicast;
  float nvlink;  ///< CE_NVLINK_BW, GB/s
};
constexpr Rates kHopperRates{{17.50f, 1.957f}, {14.90f, 0.726f}, 392};
constexpr Rates kBlackwellRates{{32.04f, 0.130f}, {29.14f, 0.137f}, 779};
/// CE_D2H_BW_PER_ENGINE times two engines.
constexpr float kThroughHost = 106;

/// Sets the time and its part that does not depend on the bytes.
void estimate(const Communicator& c, float bytes, SymmetricEstimate& result) {
  const Rates& rates = c.min_compute_capability >= kBlackwell ? kBlackwellRates : kHopperRates;
  const auto n = static_cast<float>(c.ranks);
  const Floor& floor = result.multicast ? rates.multicast : rates.unicast;
  const float first = floor.base + floor.per_rank * n;
  if (result.multicast) {
    const float link = rates.nvlink / n;
    const float rate = c.x86 ? std::min(kThroughHost, link) * n : rates.nvlink;
    result.time_us = first + bytes * n / rate / 1000;
  } else {
    const float copies = first + bytes * (n - 1) / rates.nvlink / 1000;
    result.time_us = c.x86 ? std::max(copies, first + bytes / kThroughHost / 1000) : copies;
  }
  result.latency_us = first;
  result.selection_us = result.time_us;
}

}  // namespace

std::vector<SymmetricEstimate> copy_engine_estimates(const Communicator& communicator,
                                                     const TuningQuery& query, bool zero_ctas) {
  if (query.kind != Kind::all_gather) return {};
  const Graph* ring = graph_of(communicator, TuningAlgorithm::ring);
  const bool meets = communicator.ranks > 1 && communicator.nodes == 1 && ring != nullptr &&
                     ring->type_intra == PathType::nvl;
  const auto bytes =
      static_cast<float>(query.bytes) / static_cast<float>(std::max(1, communicator.ranks));
  std::vector<SymmetricEstimate> estimates;
  for (const bool multicast : {false, true}) {
    SymmetricEstimate result{
        .name = multicast ? "CE AllGather_MC" : "CE AllGather_UC",
        .why_not = zero_ctas ? "" : "runs with the CTA policy ZERO only (NCCL_CTA_POLICY=2)",
        .multicast = multicast};
    if (!meets)
      result.why_not = "needs NVLink between all GPUs of one node";
    else if (multicast && (!communicator.nvls_support || communicator.ranks <= 2))
      result.why_not = "needs multicast (NVLS) and more than two GPUs";
    else
      estimate(communicator, bytes, result);
    estimates.push_back(std::move(result));
  }
  SymmetricEstimate* best = nullptr;
  for (SymmetricEstimate& one : estimates)
    if (one.why_not.empty() && (best == nullptr || one.time_us < best->time_us)) best = &one;
  if (best != nullptr) best->chosen = true;
  return estimates;
}

}  // namespace railyard::collectives::nccl
