#include "collectives/nccl/tuning/gin_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

// src/include/sym_kernels.h: ncclSymkMaxBlocks, ncclSymkAllGather_RailRing_ChunkSize;
// src/sym_kernels.cc: ncclSymkRsGinDefaultChunkBytes.
constexpr int kMostBlocks = 64;
constexpr double kGatherChunk = 1 << 20, kScatterChunk = 128 << 10;
struct Kernel {
  Kind kind;
  std::string_view name;
  bool multicast;
};
/// src/include/sym_kernels.h, kernelMask_Gin.
constexpr std::array<Kernel, 3> kKernels{{
    {Kind::all_gather, "AllGather_RailRing_LsaSTMC", true},
    {Kind::reduce_scatter, "ReduceScatter_RailA2A_LsaLD", false},
    {Kind::reduce_scatter, "ReduceScatter_RailA2A_LsaLDMC", true},
}};

/// hwLatencies[NET][RING][SIMPLE] of src/graph/tuning.cc, us.
constexpr double kLatency = 14;

/// Rates in GB/s: NVLink and a NIC.
struct Domains {
  int ranks;  ///< of an NVLink domain
  int count;
  int capability;
  double nvlink, nic;
  int heads;  ///< of NVLS
};

Domains domains_of(const Communicator& c) {
  const auto& nvls = c.graph(GraphId::nvls);
  const int heads = nvls && nvls->channels > 0 ? nvls->channels : c.ranks_per_node();
  return {.ranks = c.ranks_per_node(),
          .count = c.nodes,
          .capability = c.min_compute_capability,
          .nvlink = c.min_compute_capability >= kBlackwell ? 720.0 : 360.0,
          .nic = double{c.net_bandwidth},
          .heads = std::max(1, heads)};
}

/// Thread blocks that kernels with multicast share among the heads.
int most_gather_blocks(const Domains& d) {
  const int all = d.capability < kBlackwell ? 16 : 32;
  return std::max(1, (all + d.heads - 1) / d.heads);
}

/// Bytes per us at GB/s.
double us(double bytes, double rate) { return bytes / (rate * 1000); }

void gather(const Domains& d, double bytes, SymmetricEstimate& result) {
  const double chunks = std::ceil(bytes / kGatherChunk);
  const double steps = chunks * (d.count - 1);
  const double inside = us(bytes * d.ranks * d.count, d.nvlink);
  const double outside = us(bytes * (d.count - 1), d.nic);
  result.blocks =
      std::max(1, std::min(most_gather_blocks(d), static_cast<int>(std::min(chunks, 64.0))));
  result.latency_us = static_cast<float>(kLatency * steps);
  result.time_us = static_cast<float>(kLatency * steps + std::max(inside, outside));
}

/// How many times a rank's bytes pass the multiprocessors, the NVLinks and the NIC of the busiest
/// GPU, and the rate of one thread block in GB/s.
struct ScatterLoad {
  double blocks, nvlink, nic;
  double block_rate;
};
ScatterLoad scatter_load(const Domains& d, bool multicast) {
  const double reads = multicast ? 1 : d.ranks, others = d.count - 1;
  const bool newer = d.capability >= kBlackwell;
  return {.blocks = (d.ranks == 1 ? 0 : reads * others) + reads + others,
          .nvlink = std::max((multicast ? d.ranks : d.ranks - 1) * double(d.count),
                             (d.ranks - 1) * double(d.count)),
          .nic = others,
          .block_rate = multicast ? (newer ? 8.44 : 4.22) : (newer ? 26.6 : 13.7)};
}

double link_rate(const Domains& d, const ScatterLoad& load) {
  return load.nvlink > 0 ? std::min(d.nvlink / load.nvlink, d.nic / load.nic) : d.nic / load.nic;
}

/// Number of thread blocks that fill the links.
int saturating_blocks(const Domains& d, bool multicast) {
  const ScatterLoad load = scatter_load(d, multicast);
  return static_cast<int>(std::ceil(link_rate(d, load) / (load.block_rate / load.blocks)));
}

void scatter(const Domains& d, double bytes, SymmetricEstimate& result) {
  const ScatterLoad load = scatter_load(d, result.multicast);
  const int inbox =
      std::min(kMostBlocks, std::max(saturating_blocks(d, false), saturating_blocks(d, true)));
  const int most = std::min(inbox, saturating_blocks(d, result.multicast));
  const double chunks = std::ceil(bytes / kScatterChunk);
  result.blocks = std::max(1, static_cast<int>(std::min<double>(most, chunks)));
  const double rate = std::min(result.blocks * (load.block_rate / load.blocks), link_rate(d, load));
  const double first = std::min(bytes, kScatterChunk * result.blocks);
  const double wait = us(first * load.nvlink, d.nvlink) + us(first * load.nic, d.nic);
  result.latency_us = static_cast<float>(kLatency);
  result.time_us = static_cast<float>(kLatency + us(bytes, rate) + wait);
}

std::string why_not(const Communicator& c, bool multicast) {
  const Graph* ring = graph_of(c, TuningAlgorithm::ring);
  if (c.ranks_per_node() > 1 && (ring == nullptr || ring->type_intra != PathType::nvl))
    return "needs NVLink between the GPUs of a node";
  if (c.net_bandwidth <= 0) return "needs a NIC for each GPU";
  if (multicast && (!c.nvls_support || c.ranks_per_node() <= 2))
    return "needs multicast (NVLS) and more than two GPUs a node";
  return {};
}

}  // namespace

std::vector<SymmetricEstimate> gin_estimates(const Communicator& communicator,
                                             const TuningQuery& query) {
  std::vector<SymmetricEstimate> estimates;
  for (const Kernel& kernel : kKernels) {
    if (kernel.kind != query.kind) continue;
    estimates.push_back({.name = kernel.name, .why_not = {}, .multicast = kernel.multicast});
  }
  const Domains domains = domains_of(communicator);
  const double bytes =
      std::max(1.0, static_cast<double>(query.bytes) / std::max(1, communicator.ranks));
  for (SymmetricEstimate& one : estimates) {
    one.why_not = why_not(communicator, one.multicast);
    if (!one.why_not.empty()) continue;
    if (query.kind == Kind::all_gather)
      gather(domains, bytes, one);
    else
      scatter(domains, bytes, one);
    // NCCL penalises Blackwell's reduce-scatter without multicast, so that it chooses the one with
    // multicast.
    const bool penalised =
        query.kind == Kind::reduce_scatter && !one.multicast && domains.capability >= kBlackwell;
    one.selection_us = one.time_us * (1 + (penalised ? 1.0f : 0.025f) * float(one.blocks));
  }
  return estimates;
}

bool is_gin_kernel(std::string_view name) {
  return std::ranges::find(kKernels, name, &Kernel::name) != kKernels.end();
}

}  // namespace railyard::collectives::nccl
