#include "collectives/nccl/tuning/tuning_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;

/// Floats and doubles are the same as in NCCL, because the choice between nearly equal algorithms
/// depends on rounding.
struct Bus {
  float bandwidth = 0;
  Limit limit = Limit::intra;

  /// A product in double, stored in float.
  void cap(double own, double most) {
    if (most < own) limit = Limit::protocol;
    bandwidth = static_cast<float>(std::min(own, most));
  }
};

double column(const TuningConstants::PerGeneration& table, std::size_t row, int nodes) {
  return table[row][nodes <= 2 ? static_cast<std::size_t>(nodes - 1) : 2];
}

float ranks_per_node(const Communicator& communicator) {
  return static_cast<float>(communicator.ranks) / static_cast<float>(communicator.nodes);
}

/// The bandwidth per channel. On up to two nodes NCCL uses the bandwidth inside the node, on more
/// nodes that between nodes. 2.32 uses the former on two nodes only for rings before B200, and for
/// trees the smaller of the two (src/tuning/ring.cc, tree.cc, pat.cc).
Bus channel_bandwidth(const TuningCase& entry) {
  const Graph& graph = entry.graph;
  const bool collnet = entry.is(collnet_direct) || entry.is(collnet_chain);
  if (entry.constants.two_nodes_count_nics && (entry.is(tree) || entry.is(pat))) {
    const bool nic = entry.communicator.nodes > 1 && graph.bandwidth_inter <= graph.bandwidth_intra;
    return {std::min(graph.bandwidth_inter, graph.bandwidth_intra),
            nic ? Limit::inter : Limit::intra};
  }
  if (entry.constants.two_nodes_count_nics && entry.is(ring) && entry.communicator.nodes == 2 &&
      entry.communicator.min_compute_capability >= kBlackwell)
    return {graph.bandwidth_inter, Limit::inter};
  if (entry.communicator.nodes <= 2 || collnet) {
    const bool nic = entry.communicator.nodes > 1 && graph.bandwidth_inter <= graph.bandwidth_intra;
    return {graph.bandwidth_intra, nic ? Limit::inter : Limit::intra};
  }
  return {graph.bandwidth_inter, Limit::inter};
}

/// Bandwidth of NVLS: intra * efficiency * (c-1)/c, twice for all-reduce (its two halves overlap),
/// at most the bandwidth of a head's NIC. NVLSTree on two nodes sends each byte once, so its NIC
/// counts twice.
Bus nvls_bandwidth(const TuningCase& entry) {
  const Graph& graph = entry.graph;
  const int nodes = entry.communicator.nodes;
  const std::size_t row = generation(entry.communicator.min_compute_capability);
  const float channels = static_cast<float>(graph.channels);
  float intra =
      graph.bandwidth_intra * entry.constants.nvls_efficiency[row] * (channels - 1) / channels;
  const float ppn = ranks_per_node(entry.communicator);
  intra *= entry.kind == Kind::all_reduce ? 2.0f : (ppn - 1) / ppn;
  const float inter = graph.bandwidth_inter * (nodes <= 2 && entry.is(nvls_tree) ? 2.0f : 1.0f);
  Bus bus{std::min(intra, inter), nodes == 1 || intra <= inter ? Limit::intra : Limit::inter};
  if (!entry.is(nvls_tree)) return bus;
  const auto most = static_cast<float>(column(entry.constants.nvls_tree_per_channel, row, nodes));
  if (most < bus.bandwidth) bus = {most, Limit::protocol};
  return bus;
}

/// On several nodes the polling CPUs limit LL, so the row of the table depends on the vendor of the
/// CPU.
double ll_bandwidth(const TuningCase& entry) {
  const Communicator& communicator = entry.communicator;
  const bool amd =
      communicator.cpu_vendor == CpuVendor::amd || communicator.cpu_vendor == CpuVendor::mixed;
  const std::size_t row = communicator.nodes == 1 ? generation(communicator.min_compute_capability)
                                                  : (amd ? std::size_t{1} : std::size_t{0});
  return column(entry.constants.ll_bandwidth, row, communicator.nodes);
}

void refine_ring(const TuningCase& entry, Bus& bus) {
  const std::size_t row = generation(entry.communicator.min_compute_capability);
  if (entry.protocol == Protocol::ll) bus.cap(bus.bandwidth * .5, ll_bandwidth(entry));
  if (entry.protocol == Protocol::ll128) {
    bus.cap(bus.bandwidth * 0.92,
            entry.graph.channels *
                column(entry.constants.ring_ll128_per_channel, row, entry.communicator.nodes));
  }
}

void refine_tree(const TuningCase& entry, Bus& bus) {
  const int nodes = entry.communicator.nodes;
  const std::size_t row = generation(entry.communicator.min_compute_capability);
  const int channels = entry.graph.channels;
  if (entry.kind == Kind::all_reduce) {
    bus.cap(bus.bandwidth * .92, channels * column(entry.constants.tree_per_channel, row, nodes));
  }
  if (entry.protocol == Protocol::ll) {
    bus.cap(static_cast<double>(bus.bandwidth) * 1.0 / 3.8, ll_bandwidth(entry));
  }
  if (entry.protocol == Protocol::ll128) {
    bus.cap(bus.bandwidth * (nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
            channels * column(entry.constants.tree_ll128_per_channel, row, nodes));
  }
  // Parent and children connect to the same GPU and NIC, so sends and receives slow each other.
  if (entry.graph.pattern == GraphPattern::tree)
    bus.bandwidth = static_cast<float>(bus.bandwidth * .85);
}

void refine_collnet_direct(const TuningCase& entry, Bus& bus) {
  const float ppn = ranks_per_node(entry.communicator);
  if (entry.gathers()) {
    const float nic = entry.graph.bandwidth_inter * 0.9f;
    bus = {ppn * std::min(entry.graph.bandwidth_intra, nic),
           nic < entry.graph.bandwidth_intra ? Limit::inter : Limit::intra};
    return;
  }
  // Full speed requires a NIC per GPU: f GPUs per NIC divide the bandwidth by (1 + f) / 2.
  auto factor = static_cast<float>(ppn / (1.0 * entry.graph.channels));
  factor -= (factor - 1) / 2;
  bus.bandwidth /= factor;
  if (entry.communicator.min_compute_capability >= kHopper)
    bus.bandwidth = static_cast<float>(bus.bandwidth * .85);
}

/// Conversion from bytes on a link to bytes of the message.
float message_bandwidth(const TuningCase& entry, float bus) {
  if (!entry.is(ring) && entry.gathers()) return bus;
  float ratio = 1;
  if (entry.is(ring) || entry.is(nvls) || entry.is(nvls_tree)) {
    ratio = static_cast<float>(ratio * (1.0 * entry.communicator.ranks) / entry.steps());
  } else {
    ratio = .5f;
  }
  return bus * ratio;
}

}  // namespace

TunedBandwidth tuned_bandwidth(const TuningCase& entry) {
  const bool multicast = entry.is(nvls) || entry.is(nvls_tree);
  Bus bus = multicast ? nvls_bandwidth(entry) : channel_bandwidth(entry);
  bus.bandwidth = static_cast<float>(entry.graph.channels) * bus.bandwidth;
  if (entry.is(ring)) refine_ring(entry, bus);
  if (entry.is(tree)) refine_tree(entry, bus);
  if (entry.is(pat)) bus.bandwidth = static_cast<float>(bus.bandwidth * .75);
  if (entry.is(collnet_direct)) refine_collnet_direct(entry, bus);
  return {message_bandwidth(entry, bus.bandwidth), bus.limit};
}

namespace {

using enum TuningAlgorithm;

constexpr std::size_t kNvlink = 0, kPcie = 1, kNet = 2;

/// The latencies of a hop inside a node and of a hop between nodes.
struct Hops {
  float intra = 0;
  float inter = 0;
};

std::size_t intra_row(const TuningCase& entry) {
  return entry.graph.type_intra == PathType::nvl ? kNvlink : kPcie;
}

float hop(const TuningCase& entry, std::size_t row, TuningAlgorithm algorithm) {
  return static_cast<float>(
      entry.constants.hop_latency[row][index_of(algorithm)][index_of(entry.protocol)]);
}

Hops hops_of(const TuningCase& entry) {
  const bool alone = entry.communicator.ranks == entry.communicator.nodes &&
                     (entry.is(ring) || entry.constants.others_alone_take_tree_hops);
  // With one rank per node the latency of the network is not hidden. The latencies of Tree contain
  // it already.
  Hops hops{hop(entry, intra_row(entry), entry.algorithm),
            hop(entry, kNet, alone ? tree : entry.algorithm)};
  hops.inter += entry.graph.latency_inter;
  const bool flushes = entry.protocol == Protocol::simple &&
                       (!entry.is(pat) || entry.constants.others_alone_take_tree_hops);
  if (flushes) hops.inter += entry.graph.latency_inter;
  return hops;
}

/// Smallest CPU time of a ring step between nodes (NCCL 2.30 getNetOverhead), us.
float net_overhead(const TuningCase& entry) {
  if (entry.communicator.nodes == 1) return 0;
  constexpr float kAmd = 2, kOther = 1;
  const bool amd = entry.communicator.x86 && entry.communicator.cpu_vendor == CpuVendor::amd;
  const float once = entry.settings.net_overhead_us.value_or(amd ? kAmd : kOther);
  return entry.protocol == Protocol::simple ? once * 3 : once;
}

/// base + (steps - k) * max(intra, overhead) + k * inter, with k steps that leave a node.
float ring_latency(const TuningCase& entry, float base, const Hops& hops) {
  const int nodes = entry.communicator.nodes;
  if (entry.kind == Kind::broadcast || entry.kind == Kind::reduce) {
    const std::size_t row = nodes == 1 ? intra_row(entry) : kNet;
    if (entry.graph.same_channels) return base + hop(entry, row, ring);
    const TuningAlgorithm chunked = entry.protocol == Protocol::simple ? tree : ring;
    return base + static_cast<float>(entry.steps()) * hop(entry, row, chunked);
  }
  const float intra = std::max(hops.intra, net_overhead(entry));
  const int leaving =
      nodes == 1 ? 0 : (entry.kind == Kind::all_reduce ? 2 * (nodes - 1) : nodes - 1);
  return base + (static_cast<float>(entry.steps() - leaving) * intra +
                 static_cast<float>(leaving) * hops.inter);
}

}  // namespace

float tuned_latency(const TuningCase& entry) {
  const Communicator& c = entry.communicator;
  const auto base = static_cast<float>(
      entry.constants.base_latency[index_of(entry.algorithm)][index_of(entry.protocol)]);
  const Hops hops = hops_of(entry);
  const int others = c.ranks / c.nodes - 1;
  const int depth = floor_log2(static_cast<std::uint64_t>(c.nodes));
  switch (entry.algorithm) {
    case ring: return ring_latency(entry, base, hops);
    case tree:
      return base +
             2 * (static_cast<float>(others) * hops.intra + static_cast<float>(depth) * hops.inter);
    case collnet_direct:
      // 0.4 us for each message that a head receives, one after another (NCCL 2.30 tuning.cc).
      return static_cast<float>(
          base + 2 * (static_cast<float>(std::min(1, others)) * hops.intra + others * 0.4) +
          hops.inter);
    case collnet_chain: return base + static_cast<float>(2 * others) * hops.intra + hops.inter;
    case nvls: return c.nodes > 1 ? hops.intra + hops.inter : hops.intra;
    case nvls_tree: return base + (hops.intra + static_cast<float>(2 * depth) * hops.inter);
    case pat:
      // Logarithmic, with a linear part of 2.8 us per rank (NCCL 2.30 tuning.cc).
      return static_cast<float>(base + (depth * (hops.inter / 3.5) + c.ranks * 2.8));
  }
  return base;
}

namespace {

using enum TuningAlgorithm;

/// The combinations for which NCCL has kernels (NCCL 2.30 src/graph/tuning.cc).
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

std::string collnet_reason(const Communicator& communicator, const TuningConstants& constants,
                           TuningAlgorithm algorithm) {
  if (!communicator.collnet_support) {
    return "needs SHARP: NICs and switches that reduce, and NCCL_COLLNET_ENABLE=1";
  }
  if (algorithm == collnet_direct && constants.collnet_needs_nvswitch && !communicator.nvswitch)
    return "needs NVSwitch";
  return {};
}

std::string nvls_reason(const Communicator& communicator, const TuningConstants& constants,
                        TuningAlgorithm algorithm) {
  if (!communicator.nvls_support) {
    return "needs GPUs and NVSwitches with multicast (H100 on), and NCCL_NVLS_ENABLE not 0";
  }
  if (algorithm == nvls_tree && communicator.nodes == 1)
    return "works between nodes; nvls works within one";
  if (algorithm == nvls && communicator.nodes > 1)
    return collnet_reason(communicator, constants, algorithm);
  return {};
}

std::string pat_reason(const Communicator& communicator, const TuningConstants& constants,
                       const TuningSettings& settings) {
  if (communicator.min_compute_capability < 60) return "needs compute capability 60";
  // src/tuning/pat.cc of 2.32 estimates it at half of the largest float, as opt-in only.
  const bool alone = communicator.nodes == communicator.ranks;
  if (constants.pat_on_full_nodes_is_last && !alone && settings.pat != false)
    return "comes last with several GPUs per node, where 2.32 joins it with NVLS; not modelled";
  if (settings.pat) return *settings.pat ? "" : "NCCL_PAT_ENABLE=0";
  if (alone) return {};
  return "is for one GPU per node, unless NCCL_PAT_ENABLE=1";
}

/// Gathers through the switch transfer no data to a GPU that is not a head (of CollNet, also for
/// NVLS).
std::string gather_reason(const Communicator& communicator, const TuningConstants& constants,
                          Kind kind, TuningAlgorithm algorithm) {
  const bool gathers = kind == Kind::all_gather || kind == Kind::reduce_scatter;
  const bool collnet = algorithm == collnet_direct || algorithm == collnet_chain;
  const bool by_heads = (gathers && (algorithm == nvls || algorithm == collnet_direct)) ||
                        (collnet && constants.collnet_needs_heads);
  if (!by_heads || communicator.nodes == 1) return {};
  const std::optional<Graph>& direct = communicator.graph(GraphId::collnet_direct);
  const int heads = direct ? heads_of(*direct) : 0;
  if (communicator.ranks_per_node() <= heads) return {};
  return fmt::format("needs a head with a NIC for each GPU; {} GPUs share {}",
                     communicator.ranks_per_node(), heads);
}

std::string algorithm_reason(const Communicator& communicator, const Graph* graph,
                             const TuningConstants& constants, const TuningSettings& settings,
                             Kind kind, TuningAlgorithm algorithm) {
  std::string reason;
  if (algorithm == pat) reason = pat_reason(communicator, constants, settings);
  if (algorithm == nvls || algorithm == nvls_tree)
    reason = nvls_reason(communicator, constants, algorithm);
  if (algorithm == collnet_direct || algorithm == collnet_chain)
    reason = collnet_reason(communicator, constants, algorithm);
  if (!reason.empty()) return reason;
  if (graph == nullptr || graph->channels == 0) return "NCCL's search finds no graph for it";
  if ((algorithm == nvls || algorithm == nvls_tree) && graph->channels < 2)
    return "needs two heads; NCCL's search finds one";
  return gather_reason(communicator, constants, kind, algorithm);
}

/// LL128 requires that the 16-byte stores of a warp arrive together. This is the case on NVLink,
/// and on PCIe below one switch.
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
  if (compute_capability >= kBlackwell) return 3;
  if (compute_capability >= kHopper) return 2;
  return compute_capability >= kAmpere ? 1 : 0;
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
  std::string reason = algorithm_reason(communicator, graph, constants, settings, kind, algorithm);
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
