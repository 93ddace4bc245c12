#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "collectives/nccl/tuning/tuning_terms.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;

/// What NCCL has kernels for (NCCL 2.30 src/graph/tuning.cc).
bool has_kernel(Kind kind, TuningAlgorithm algorithm) {
  if (algorithm == ring) return true;
  switch (kind) {
    case Kind::all_reduce: return algorithm != pat;
    case Kind::all_gather:
    case Kind::reduce_scatter:
      return algorithm == pat || algorithm == nvls || algorithm == collnet_direct;
    default: return false;
  }
}

bool is_simple_only(TuningAlgorithm algorithm) { return algorithm != tree && algorithm != ring; }

std::string collnet_reason(const Communicator& communicator, TuningAlgorithm algorithm) {
  if (!communicator.collnet_support) {
    return "needs SHARP: NICs and switches that reduce, and NCCL_COLLNET_ENABLE=1";
  }
  if (algorithm == collnet_direct && !communicator.nvswitch) return "needs NVSwitch";
  return {};
}

std::string nvls_reason(const Communicator& communicator, TuningAlgorithm algorithm) {
  if (!communicator.nvls_support) {
    return "needs GPUs and NVSwitches with multicast (H100 on), and NCCL_NVLS_ENABLE not 0";
  }
  if (algorithm == nvls_tree && communicator.nodes == 1)
    return "works between nodes; nvls works within one";
  if (algorithm == nvls && communicator.nodes > 1) return collnet_reason(communicator, algorithm);
  return {};
}

std::string pat_reason(const Communicator& communicator, const TuningSettings& settings) {
  if (communicator.min_compute_capability < 60) return "needs compute capability 60";
  if (settings.pat) return *settings.pat ? "" : "NCCL_PAT_ENABLE=0";
  if (communicator.nodes == communicator.ranks) return {};
  return "is for one GPU per node, unless NCCL_PAT_ENABLE=1";
}

/// Gathers through the switch leave nothing to a GPU that is not a head (of CollNet, for NVLS too).
std::string gather_reason(const Communicator& communicator, Kind kind, TuningAlgorithm algorithm) {
  const bool gathers = kind == Kind::all_gather || kind == Kind::reduce_scatter;
  if (!gathers || communicator.nodes == 1 || (algorithm != nvls && algorithm != collnet_direct))
    return {};
  const std::optional<Graph>& direct = communicator.graph(GraphId::collnet_direct);
  const int heads = direct ? heads_of(*direct) : 0;
  if (communicator.ranks_per_node() <= heads) return {};
  return fmt::format("needs a head with a NIC for each GPU; {} GPUs share {}",
                     communicator.ranks_per_node(), heads);
}

std::string algorithm_reason(const Communicator& communicator, const Graph* graph,
                             const TuningSettings& settings, Kind kind, TuningAlgorithm algorithm) {
  std::string reason;
  if (algorithm == pat) reason = pat_reason(communicator, settings);
  if (algorithm == nvls || algorithm == nvls_tree) reason = nvls_reason(communicator, algorithm);
  if (algorithm == collnet_direct || algorithm == collnet_chain)
    reason = collnet_reason(communicator, algorithm);
  if (!reason.empty()) return reason;
  if (graph == nullptr || graph->channels == 0) return "NCCL's search finds no graph for it";
  if ((algorithm == nvls || algorithm == nvls_tree) && graph->channels < 2)
    return "needs two heads; NCCL's search finds one";
  return gather_reason(communicator, kind, algorithm);
}

/// LL128 relies on 16-byte stores of a warp arriving whole, which holds on NVLink and on PCIe
/// below a switch.
std::string ll128_reason(const Communicator& communicator, const Graph& graph,
                         const TuningConstants& constants, const TuningSettings& settings) {
  const int least = communicator.min_compute_capability;
  if (least < 70) return "LL128 needs compute capability 70";
  const bool mixed = communicator.max_compute_capability != least;
  if (mixed && (least < 90 || constants.ll128_needs_equal_gpus))
    return "LL128 needs GPUs of one compute capability";
  if (graph.type_intra > PathType::nvb) return "LL128 needs NVLink between the GPUs of a node";
  const bool pxn = settings.ll128_over_c2c && least >= 90;
  if (graph.type_inter > (pxn ? PathType::pxn : PathType::pxb)) {
    return fmt::format("LL128 needs NICs below the GPU's PCIe switch{}",
                       pxn ? ", or reached by PXN" : "");
  }
  return {};
}

}  // namespace

int heads_of(const Graph& graph) {
  std::set<int> heads;
  for (const GraphChannel& channel : graph.orders) {
    if (!channel.gpus.empty()) heads.insert(channel.gpus.front());
  }
  return heads.empty() ? graph.channels : static_cast<int>(heads.size());
}

std::size_t generation(int compute_capability) {
  if (compute_capability >= 100) return 3;
  if (compute_capability >= 90) return 2;
  return compute_capability >= 80 ? 1 : 0;
}

int floor_log2(std::uint64_t value) { return static_cast<int>(std::bit_width(value)) - 1; }

std::string why_not_taken(const Communicator& communicator, Kind kind, TuningAlgorithm algorithm) {
  // src/include/device.h, NCCL_MAX_DIRECT_ARITY + 1 and NCCL_MAX_NVLS_ARITY.
  constexpr int kMostDirect = 8, kMostGathered = 32;
  const int gpus = communicator.ranks_per_node();
  if ((algorithm == collnet_direct || algorithm == collnet_chain) && gpus > kMostDirect)
    return fmt::format("takes up to {} GPUs per node", kMostDirect);
  if ((algorithm == nvls || algorithm == nvls_tree) && kind != Kind::all_reduce &&
      gpus > kMostGathered)
    return fmt::format("takes up to {} GPUs per node", kMostGathered);
  return {};
}

std::string why_not_tuned(const Communicator& communicator, const Graph* graph,
                          const TuningConstants& constants, const TuningSettings& settings,
                          Kind kind, TuningAlgorithm algorithm, Protocol protocol) {
  const std::string_view name = core::enum_name(algorithm);
  if (!has_kernel(kind, algorithm))
    return fmt::format("NCCL has no {} of {}", to_text(kind), nccl_name(algorithm));
  std::string reason = algorithm_reason(communicator, graph, settings, kind, algorithm);
  if (!reason.empty()) return reason;
  if (is_simple_only(algorithm) && protocol != Protocol::simple)
    return fmt::format("{} uses the protocol simple", name);
  if (!settings.algorithms[index_of(kind)][index_of(algorithm)])
    return fmt::format("{} excludes it", settings.algorithm_text);
  const ProtocolUse use = settings.protocols[index_of(kind)][index_of(protocol)];
  if (use == ProtocolUse::off) return fmt::format("{} excludes it", settings.protocol_text);
  if (use == ProtocolUse::where_safe && protocol == Protocol::ll128)
    return ll128_reason(communicator, *graph, constants, settings);
  return {};
}

}  // namespace railyard::collectives::nccl
