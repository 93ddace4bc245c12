#include "collectives/nccl/tuning/symmetric_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "collectives/nccl/graph/compute_capability.hpp"
#include "collectives/nccl/tuning/gin_model.hpp"

namespace railyard::collectives::nccl {
namespace {

/// How a kernel moves data: LL lines, loads or stores of the SM, bulk copies (TMA); each to every
/// peer, or by multicast of the NVSwitches.
enum class DataMovement { ll, ll_multicast, tma, sm, tma_multicast, sm_multicast };

struct Kernel {
  Kind kind;
  DataMovement movement;
  std::string_view name;

  [[nodiscard]] bool is_ll() const {
    return movement == DataMovement::ll || movement == DataMovement::ll_multicast;
  }
  [[nodiscard]] bool is_tma() const {
    return movement == DataMovement::tma || movement == DataMovement::tma_multicast;
  }
  [[nodiscard]] bool is_multicast() const {
    return movement == DataMovement::ll_multicast || movement == DataMovement::tma_multicast ||
           movement == DataMovement::sm_multicast;
  }
  /// LDMC: loads data that the NVSwitches have reduced.
  [[nodiscard]] bool is_reduced_by_switches() const {
    return movement == DataMovement::sm_multicast && kind != Kind::all_gather;
  }
};

/// NCCL 2.32 src/include/sym_kernels.h, ncclSymkKernelId: those without a network.
constexpr std::array<Kernel, 15> kKernels{{
    {Kind::all_reduce, DataMovement::ll, "AllReduce_AGxLL_R"},
    {Kind::all_reduce, DataMovement::ll_multicast, "AllReduce_AGxLLMC_R"},
    {Kind::all_reduce, DataMovement::tma, "AllReduce_RSxTmaLD_AGxTmaST"},
    {Kind::all_reduce, DataMovement::sm, "AllReduce_RSxLD_AGxST"},
    {Kind::all_reduce, DataMovement::sm_multicast, "AllReduce_RSxLDMC_AGxSTMC"},
    {Kind::all_gather, DataMovement::ll, "AllGather_LL"},
    {Kind::all_gather, DataMovement::ll_multicast, "AllGather_LLMC"},
    {Kind::all_gather, DataMovement::tma, "AllGather_TmaST"},
    {Kind::all_gather, DataMovement::sm, "AllGather_ST"},
    {Kind::all_gather, DataMovement::tma_multicast, "AllGather_TmaSTMC"},
    {Kind::all_gather, DataMovement::sm_multicast, "AllGather_STMC"},
    {Kind::reduce_scatter, DataMovement::ll, "ReduceScatter_LL"},
    {Kind::reduce_scatter, DataMovement::tma, "ReduceScatter_TmaLD"},
    {Kind::reduce_scatter, DataMovement::sm, "ReduceScatter_LD"},
    {Kind::reduce_scatter, DataMovement::sm_multicast, "ReduceScatter_LDMC"},
}};

// src/include/sym_kernels.h: ncclSymkMaxBlocks; bytes of a chunk: 4 warps x 32 threads x 16 B x 4
// packs (TMA: 8; multicast by TMA: one warp), of a small one 4 packs of 4 B;
// NCCL_SYM_KERNEL_CELL_SIZE.
constexpr int kMostBlocks = 64;
constexpr std::int64_t kChunk = 8192, kDeepChunk = 16384, kMulticastChunk = 4096,
                       kSmallChunk = 2048, kCell = 1024;

/// A kernel on a communicator for a message.
struct Case {
  const Kernel& kernel;
  int ranks;
  int capability;
  std::int64_t bytes;  ///< of a rank: its part of gathers, all of an all-reduce
  bool half;           ///< a sum of 16-bit floats
  bool is_8_bit;
};

std::int64_t in_cells(std::int64_t bytes) { return (bytes + kCell - 1) / kCell * kCell; }

/// min(x, ceiling) as a smooth function.
double soft_min(double x, double ceiling, double softness) {
  return ceiling -
         softness * std::log1p((std::exp(ceiling / softness) - 1) * std::exp(-x / softness));
}
/// max(0, x) as a smooth function (softplus).
double soft_plus(double x) { return x >= 100 ? x : std::log1p(std::exp(x)); }

/// The bytes that the busiest GPU sends or receives, and the speed-up of a block by multicast. Some
/// of the numbers only serve to break ties (src/tuning/sym_model/lsa_base.cc).
struct BusLoad {
  std::int64_t bytes;
  double multiplier = 1;
};
BusLoad bus_load(const Case& c) {
  const std::int64_t n = c.ranks, bytes = in_cells(c.bytes);
  if (c.kernel.is_ll()) return {n * bytes * 9, c.kernel.is_multicast() ? 1.1 : 1.0};
  if (c.kernel.kind == Kind::all_reduce) {
    if (c.kernel.is_multicast()) return {bytes / n + bytes, static_cast<double>(n)};
    return {2 * bytes * (n - 1) / n};
  }
  if (c.kernel.movement == DataMovement::tma_multicast)
    return {(n - 1) * bytes, 0.99 * 0.55 * c.ranks};
  if (c.kernel.movement == DataMovement::sm_multicast) return {(n - 1) * bytes, 0.55 * c.ranks};
  return {(n - 1) * bytes};
}

/// Constants of lsa_base.cc: latency in us, and rates of one block and of all blocks in GiB/s.
struct BaseRates {
  double latency, block, peak;
};
BaseRates base_rates(const Case& c) {
  const Kernel& k = c.kernel;
  const bool reduces_all = k.kind == Kind::all_reduce, scatters = k.kind == Kind::reduce_scatter;
  const bool switched = reduces_all && k.movement == DataMovement::sm_multicast;
  if (c.capability < kBlackwell)
    return {k.is_ll() ? 4.5 : 7.8, reduces_all ? 65.0 : 44.0, switched ? 480.0 : 320.0};
  BaseRates rates{reduces_all ? 19.5 : 13.0, 55, switched ? 1000.0 : (scatters ? 650.0 : 600.0)};
  if (k.is_ll()) rates.latency = k.kind == Kind::all_gather ? 8.5 : (scatters ? 10.5 : 11.0);
  if (!k.is_tma()) return rates;
  rates.latency += 4;
  if (k.kind == Kind::all_gather && k.movement == DataMovement::tma) {
    rates.peak = 700;
    rates.latency += 19;
  }
  if (k.movement != DataMovement::tma_multicast) rates.peak *= 1.07;
  return rates;
}

double base_time(const Case& c, int blocks) {
  constexpr double kGiB = (1 << 30) / 1e6;  // bytes per us
  const BaseRates rates = base_rates(c);
  const BusLoad load = bus_load(c);
  const double block = rates.block * kGiB;
  const double bandwidth = soft_min(blocks * block * load.multiplier, rates.peak * kGiB, block);
  return rates.latency + soft_plus(static_cast<double>(load.bytes) / bandwidth - 1);
}

/// Constants of src/tuning/sym_model/lsa_a2a.cc: latency in us, rates of one block and of all
/// blocks in GB/s.
struct FittedRates {
  double base, rank, block, small = 0, ends = 0, ll = 0, peak = 0;
  bool peak_by_ranks = false;           ///< the peak holds for (n-1)/n of the data
  std::array<double, 2> scale{{1, 1}};  ///< of 8 and 32 blocks of AllGather_LL
  double overlap_blocks = 0;            ///< up to which latency and bytes of LLMC overlap
  double trough_latency = 0, trough_peak = 0;
};

/// Rows of lsaA2AArchTuningParameters; SM103 has its own rows for differences from SM100.
std::optional<FittedRates> gather_rates(const Case& c) {
  const bool ultra = c.capability == 103;
  switch (c.kernel.movement) {
    case DataMovement::ll:
      return FittedRates{.base = 7.1084,
                         .rank = 0.1065,
                         .block = 15.87,
                         .ll = 2.32,
                         .peak = 250,
                         .scale = {{0.99, 0.69}}};
    case DataMovement::ll_multicast:
      return FittedRates{.base = 7.4229,
                         .rank = ultra ? 0.0439 : 0.1030,
                         .block = 27.46,
                         .ll = 2.1932,
                         .peak = 316.0699,
                         .peak_by_ranks = true,
                         .overlap_blocks = 3.3805};
    case DataMovement::tma:
      return FittedRates{.base = 10.0618,
                         .rank = 0.0679,
                         .block = 64.1577,
                         .peak = 671.6052,
                         .trough_latency = ultra ? 12.1475 : 0,
                         .trough_peak = ultra ? 639.6826 : 0};
    case DataMovement::sm:
      return FittedRates{.base = 10.5902, .rank = 0.0563, .block = 64.4810, .peak = 650.4378};
    case DataMovement::tma_multicast:
      return FittedRates{
          .base = 8.2723, .rank = 0.0623, .block = 51.55, .peak = 715.1451, .peak_by_ranks = true};
    case DataMovement::sm_multicast: break;
  }
  return FittedRates{
      .base = 8.3313, .rank = 0.0561, .block = 50.83, .peak = 715.1451, .peak_by_ranks = true};
}

/// Rows only for SM103; 16-bit sums have rows of their own.
std::optional<FittedRates> scatter_rates(const Case& c) {
  if (c.capability != 103) return std::nullopt;
  switch (c.kernel.movement) {
    case DataMovement::ll:
      return FittedRates{
          .base = 10.5737, .rank = 0.0129, .block = 8.6531, .ll = 2.1255, .peak = 248.9148};
    case DataMovement::tma:
      return FittedRates{.base = 5.9025,
                         .rank = 0.2089,
                         .block = c.half ? 41.1659 : 46.7794,
                         .small = c.half ? 7.3839 : 9.5412,
                         .ends = c.half ? 3.6620 : 7.3964,
                         .peak = 640.7738};
    case DataMovement::sm:
      return FittedRates{.base = c.half ? 8.4739 : 9.6736,
                         .rank = c.half ? 0.2096 : 0.2801,
                         .block = c.half ? 16.9749 : 26.0,
                         .small = c.half ? 9.5826 : 12.3392,
                         .ends = c.half ? 4.0022 : 7.3964,
                         .peak = 660};
    default: break;
  }
  return FittedRates{
      .base = 10.9124, .rank = 0.0736, .block = 24.5386, .peak = 750.1525, .peak_by_ranks = true};
}

std::optional<FittedRates> fitted_rates(const Case& c) {
  if (c.capability != 100 && c.capability != 103) return std::nullopt;
  if (c.kernel.kind == Kind::all_gather) return gather_rates(c);
  if (c.kernel.kind == Kind::reduce_scatter) return scatter_rates(c);
  return std::nullopt;
}

/// Number of blocks with at least one cell of data.
int active_blocks(std::int64_t bytes, int blocks) {
  const std::int64_t cells = (bytes + kCell - 1) / kCell;
  const std::int64_t each = (cells + blocks - 1) / blocks;
  return static_cast<int>((cells + each - 1) / each);
}

/// Measured scaling with the number of blocks at 4, 8, 32 and 64 blocks of AllGather_LL;
/// interpolated in between.
double block_scale(const Case& c, const FittedRates& rates, int active) {
  if (c.kernel.movement == DataMovement::tma_multicast && active == 1) return 1.1445;
  if (c.kernel.kind != Kind::all_gather || c.kernel.movement != DataMovement::ll || c.ranks <= 4 ||
      active <= 4 || active >= 64)
    return 1;
  constexpr std::array<double, 4> kPositions{2, 3, 5, 6};
  const std::array<double, 4> values{1, rates.scale[0], rates.scale[1], 1};
  const double at = std::log2(active);
  std::size_t upper = 1;
  while (at > kPositions[upper]) ++upper;
  const double part = (at - kPositions[upper - 1]) / (kPositions[upper] - kPositions[upper - 1]);
  return values[upper - 1] + part * (values[upper] - values[upper - 1]);
}

/// The times for all bytes of a case; a part of the data takes a proportional time.
struct Paces {
  double compute, peak, copies, blocks;

  /// The time for the fraction `part` of the data at a block rate in GB/s.
  [[nodiscard]] double of(double bytes, double part, double block) const {
    return std::max(compute * part + copies * bytes / (blocks * block * 1000), peak * part);
  }
};

/// Reductions by loads process whole chunks first, then small chunks, then single elements.
double chunked_time(const Case& c, const FittedRates& rates, const Paces& paces, int active) {
  const std::int64_t group = std::int64_t{c.ranks} * active;
  const std::int64_t chunk = group * (c.kernel.is_tma() ? kDeepChunk : kChunk);
  const std::int64_t full = c.bytes / chunk * chunk;
  const std::int64_t small = (c.bytes - full) / (group * kSmallChunk) * (group * kSmallChunk);
  const auto time = [&](std::int64_t bytes, double block) {
    const auto size = static_cast<double>(bytes);
    return paces.of(size, size / static_cast<double>(c.bytes), block);
  };
  return time(full, rates.block) + time(small, rates.small) +
         time(c.bytes - full - small, rates.ends);
}

double fitted_time(const Case& c, const FittedRates& rates, int blocks) {
  const int active = active_blocks(c.bytes, blocks);
  const double scaled = active * block_scale(c, rates, active);
  const double n = c.ranks;
  const auto bytes = static_cast<double>(c.bytes);
  const bool bulk_multicast = c.kernel.is_multicast() && !c.kernel.is_ll();
  const bool in_trough = rates.trough_peak > 0 && active >= 14 && active % 4 == 2;
  const double peak = in_trough ? std::min(rates.peak, rates.trough_peak) : rates.peak;
  const double share = rates.peak_by_ranks ? (n - 1) / n : 1;
  const Paces paces{.compute = rates.ll > 0 ? bytes / (scaled * rates.ll * 1000) : 0,
                    .peak = (n - 1) * bytes / (peak * share * 1000),
                    .copies = bulk_multicast ? 1 : n,
                    .blocks = scaled};
  const double bound =
      rates.small > 0 ? chunked_time(c, rates, paces, active) : paces.of(bytes, 1, rates.block);
  const double by_rank = (n - 1) * rates.rank;
  if (c.kernel.movement == DataMovement::ll_multicast) {
    const double overlap = std::min(1.0, rates.overlap_blocks / active);
    return rates.base + std::max(by_rank, bound) + (1 - overlap) * std::min(by_rank, bound);
  }
  return rates.base + by_rank + (in_trough ? rates.trough_latency : 0) + bound;
}

/// Whether a bulk copy is at least as large as its chunk on every block.
bool fills_tma(const Case& c, int blocks) {
  if (c.kernel.movement == DataMovement::tma_multicast) return c.bytes >= kMulticastChunk;
  if (c.kernel.kind == Kind::all_gather) return c.bytes >= kChunk * blocks;
  return c.bytes >= kDeepChunk * c.ranks * blocks;
}

/// The times with NCCL's number of blocks (src/tuning/sym_model/lsa.cc).
void estimate(const Case& c, SymmetricEstimate& result) {
  int most = kMostBlocks;
  if (c.kernel.is_tma()) {
    if (!fills_tma(c, 1)) {
      result.why_not = "the message is smaller than a chunk of its bulk copies";
      return;
    }
    while (most > 1 && !fills_tma(c, most)) most -= most == 2 ? 1 : 2;
  }
  const std::optional<FittedRates> fitted = fitted_rates(c);
  // The fitted model keeps its time as a float, the base model compares doubles.
  const auto time = [&](int blocks) {
    return fitted ? static_cast<double>(static_cast<float>(fitted_time(c, *fitted, blocks)))
                  : base_time(c, blocks);
  };
  const double limit = 1.025 * static_cast<double>(static_cast<float>(time(most)));
  int blocks = 1;
  while (blocks < most && time(blocks) > limit) blocks += blocks == 1 ? 1 : 2;
  result.blocks = std::min(blocks, most);
  result.time_us = static_cast<float>(time(result.blocks));
  const double latency =
      fitted ? fitted->base + (c.ranks - 1) * fitted->rank : base_rates(c).latency;
  result.latency_us = std::min(result.time_us, static_cast<float>(latency));
  const float cost = fitted ? 0.02f : 0.025f;
  result.selection_us = result.time_us * (1.0f + cost * static_cast<float>(result.blocks));
}

/// The reason why symmetric kernels do not support this reduction; "" if they do
/// (src/sym_kernels.cc).
std::string why_not_reduced(const TuningQuery& query) {
  if (query.kind == Kind::all_gather) return {};
  if (!is_float(query.type) || query.type == DataType::float64)
    return "symmetric kernels reduce floats of up to 32 bits";
  const bool averages = query.op == ReduceOp::avg && query.kind == Kind::reduce_scatter;
  return query.op == ReduceOp::sum || averages ? "" : "symmetric kernels add only";
}

/// The reason why no kernel within an NVLink domain supports this; "" if one does.
std::string why_none(const Communicator& communicator, const TuningQuery& query) {
  if (communicator.ranks < 2) return "one rank is a copy";
  if (communicator.nodes > 1) return "stays within an NVLink domain";
  const Graph* ring = graph_of(communicator, TuningAlgorithm::ring);
  if (ring == nullptr || ring->type_intra != PathType::nvl) return "needs NVLink between all GPUs";
  return why_not_reduced(query);
}

std::string why_not(const Communicator& communicator, const Case& c) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  const std::int64_t bus = in_cells(c.bytes) * (c.kernel.kind == Kind::all_reduce ? 1 : c.ranks);
  if (bus >= 64 * kGiB) return "messages of 64 GiB and more have no symmetric kernel";
  if (c.kernel.is_ll() && bus >= 2 * kGiB) return "LL takes messages below 2 GiB";
  if (c.kernel.is_multicast() && (!communicator.nvls_support || c.ranks <= 2))
    return "needs multicast (NVLS) and more than two GPUs";
  if (c.kernel.is_tma() && c.capability < kBlackwell) return "needs compute capability 100";
  if (c.is_8_bit && c.kernel.is_reduced_by_switches() && c.capability < kBlackwell)
    return "NVSwitches reduce 8-bit floats from compute capability 100 on";
  return {};
}

}  // namespace

std::vector<SymmetricEstimate> symmetric_estimates(const Communicator& communicator,
                                                   const TuningQuery& query) {
  const std::string none = why_none(communicator, query);
  const bool is_16_bit = query.type == DataType::float16 || query.type == DataType::bfloat16;
  const bool half = is_16_bit && query.op == ReduceOp::sum;
  const std::int64_t bytes =
      query.kind == Kind::all_reduce ? query.bytes : query.bytes / std::max(1, communicator.ranks);
  std::vector<SymmetricEstimate> estimates;
  for (const Kernel& kernel : kKernels) {
    if (kernel.kind != query.kind) continue;
    SymmetricEstimate result{.name = kernel.name,
                             .why_not = none,
                             .multicast = kernel.is_multicast(),
                             .low_latency = kernel.is_ll()};
    const Case c{kernel,
                 communicator.ranks,
                 communicator.min_compute_capability,
                 std::max<std::int64_t>(bytes, 1),
                 half,
                 size_of(query.type) == Bytes(1)};
    if (result.why_not.empty()) result.why_not = why_not(communicator, c);
    if (result.why_not.empty()) estimate(c, result);
    estimates.push_back(std::move(result));
  }
  if (communicator.nodes > 1) {
    const std::string reason = why_not_reduced(query);
    for (SymmetricEstimate& result : gin_estimates(communicator, query)) {
      if (!reason.empty()) result.why_not = reason;
      estimates.push_back(std::move(result));
    }
  }
  // Among equal estimates the last one is chosen, as in 2.32's choice of algorithms.
  SymmetricEstimate* best = nullptr;
  for (SymmetricEstimate& one : estimates)
    if (one.why_not.empty() && (best == nullptr || one.selection_us <= best->selection_us))
      best = &one;
  if (best != nullptr) best->chosen = true;
  return estimates;
}

}  // namespace railyard::collectives::nccl
