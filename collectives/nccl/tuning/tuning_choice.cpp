#include "collectives/nccl/tuning/tuning_choice.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "collectives/nccl/graph/compute_capability.hpp"
#include "collectives/nccl/tuning/tuning_terms.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;

bool has_ranks_per_node(const Communicator& c, int ranks) {
  const auto fits = [ranks](const CommunicatorNode& node) {
    return std::ssize(node.ranks) == ranks;
  };
  return c.members.empty() ? c.ranks == ranks * c.nodes : std::ranges::all_of(c.members, fits);
}

/// Whether the correction of trees also applies to NVLSTree. It does on x86 hosts. From 2.32 on it
/// also does on ARM hosts with four GPUs per node and NICs of 800 Gb/s; on two nodes only for
/// messages below 64 MiB, or below 512 MiB with NICs next to the GPUs (NCCL 2.32
/// src/tuning/nvls.cc).
bool nvls_tree_is_corrected(const TuningModel& model, const TuningQuery& query) {
  constexpr float kXdr = 96;  // GB/s
  constexpr std::int64_t kFar = std::int64_t{64} << 20, kNear = std::int64_t{512} << 20;
  const Communicator& c = model.communicator;
  if (!model.constants->nvls_tree_is_corrected || c.min_compute_capability < kBlackwell)
    return false;
  if (c.x86) return true;
  if (!model.constants->nvls_tree_is_corrected_on_arm || c.net_bandwidth < kXdr ||
      !has_ranks_per_node(c, 4))
    return false;
  if (c.nodes > 2 || query.bytes < kFar) return true;
  const Graph* graph = graph_of(c, nvls_tree);
  return graph != nullptr && graph->type_inter == PathType::pix && query.bytes < kNear;
}

/// NCCL reduces the modelled bandwidth of trees at middle sizes by a factor per power of two from
/// 64 B (treeCorrectionFactor; Tree uses 23 of its 24 entries).
float corrected_bandwidth(const TuningModel& model, const TuningQuery& query,
                          TuningAlgorithm algorithm, Protocol protocol, float bandwidth) {
  if (query.kind != Kind::all_reduce) return bandwidth;
  if (algorithm != tree && !(algorithm == nvls_tree && nvls_tree_is_corrected(model, query)))
    return bandwidth;
  const int step = floor_log2(static_cast<std::uint64_t>(query.bytes) >> 6);
  if (step < 0 || step >= (algorithm == tree ? 23 : 24)) return bandwidth;
  return bandwidth *
         model.constants->tree_correction[index_of(protocol)][static_cast<std::size_t>(step)];
}

/// The plateau of rings on one node in 2.32, from B200 on, with p the bytes per channel and rank
/// (src/tuning/ring.cc):
///
///     1 + (1 - (0.1/d)^(steps-1)) (d - 0.1 min(1, (p - 256 KiB) / 256 KiB)),  d = 0.4
float nvlink_plateau(int steps, std::int64_t part, float plateau) {
  constexpr float kDelta = 0.1f;
  constexpr std::int64_t kLarge = std::int64_t{256} * 1024;
  const float most = plateau - 1.0f;
  const float scale = 1.0f - std::pow(kDelta / most, static_cast<float>(std::max(0, steps - 1)));
  float delta = most;
  if (part > kLarge)
    delta -=
        kDelta * std::min(1.0f, static_cast<float>(part - kLarge) / static_cast<float>(kLarge));
  return 1.0f + scale * delta;
}

/// "Plateau effect of ring": a factor on the latency of Ring, from 64 bytes per channel and rank
/// on.
double plateau_of(const TuningModel& model, const TuningQuery& query, TuningAlgorithm algorithm,
                  Protocol protocol) {
  const Communicator& c = model.communicator;
  if (algorithm != ring || protocol != Protocol::simple) return 1;
  const std::int64_t parts = std::int64_t{c.channels.collective} * c.ranks;
  if (parts <= 0 || query.bytes / parts < 64) return 1;
  double plateau = c.min_compute_capability < kAmpere ? 1.9 : 1.4;
  if (model.constants->nvlink_rings_have_plateau)
    plateau = static_cast<float>(plateau);  // 2.32 multiplies in float
  if (c.nodes > 1) return query.kind == Kind::all_reduce ? plateau : 1;
  const Graph* graph = graph_of(c, ring);
  const bool reduces_or_gathers = query.kind == Kind::all_reduce ||
                                  query.kind == Kind::all_gather ||
                                  query.kind == Kind::reduce_scatter;
  if (!model.constants->nvlink_rings_have_plateau || !reduces_or_gathers || graph == nullptr ||
      graph->type_intra != PathType::nvl || c.min_compute_capability < kBlackwell)
    return 1;
  const int steps = query.kind == Kind::all_reduce ? 2 * (c.ranks - 1) : c.ranks - 1;
  return nvlink_plateau(steps, query.bytes / parts, static_cast<float>(plateau));
}

constexpr int kWarp = 32;  // threads
// NCCL_MAX_DEV_WORK_BATCH_COLLS of 128-byte work structs in 1 KiB (NCCL 2.30 src/include/device.h).
constexpr int kBatch = 8;
constexpr int kMaxThreads = 640;

/// Reduces the number of channels one by one until the message is large enough for the threads of
/// all channels.
int fewer_channels(std::int64_t bytes, int channels, int threads, std::int64_t threshold) {
  const std::int64_t per_channel = threads * threshold;
  if (per_channel <= 0) return channels;
  return static_cast<int>(std::clamp<std::int64_t>(bytes / per_channel, 1, channels));
}

/// CollNetDirect reduces the number of channels to 16, 8, 4, 2 and 1 in turn. Halfway between two
/// of these numbers it halves the threshold.
int collnet_channels(const TuningModel& model, std::int64_t bytes, int channels, int threads,
                     std::int64_t threshold) {
  const Graph* graph = graph_of(model.communicator, collnet_direct);
  const std::int64_t heads = graph != nullptr ? heads_of(*graph) : 1;
  bool small = true;
  for (int floor = 16; floor >= 1 && small; floor /= 2) {
    for (;;) {
      small = bytes < std::int64_t{channels} * threads * heads * threshold;
      if (!small || channels <= floor) break;
      if (channels == floor + floor / 2) threshold /= 2;
      --channels;
    }
  }
  return channels;
}

}  // namespace

float estimated_latency(const TuningModel& model, const TuningQuery& query,
                        TuningAlgorithm algorithm, Protocol protocol) {
  float latency = model.entry(query.kind, algorithm, protocol).latency;
  latency = static_cast<float>(latency * plateau_of(model, query, algorithm, protocol));
  const int count = algorithm == ring ? query.aggregated : (query.aggregated + kBatch - 1) / kBatch;
  return latency * static_cast<float>(count);
}

float estimated_time(const TuningModel& model, const TuningQuery& query, TuningAlgorithm algorithm,
                     Protocol protocol) {
  assert(is_tuned(query.kind));
  const TuningEntry& entry = model.entry(query.kind, algorithm, protocol);
  if (!entry.why_not.empty() && !(entry.bandwidth > 0)) return -1;
  if (model.communicator.ranks <= 1) return 0;
  const float bandwidth = corrected_bandwidth(model, query, algorithm, protocol, entry.bandwidth);
  return estimated_latency(model, query, algorithm, protocol) +
         static_cast<float>(query.bytes) / (1000 * bandwidth);
}

std::string_view why_not_reduced(const TuningQuery& query, TuningAlgorithm algorithm) {
  // NCCL 2.30 enqueue.cc: an average is a sum that is scaled, which PAT does not do.
  if (algorithm == pat && query.kind == Kind::reduce_scatter && query.op == ReduceOp::avg)
    return "PAT does not support avg";
  if (algorithm != nvls && algorithm != nvls_tree) return {};
  if (query.kind == Kind::all_gather) return {};
  if (size_of(query.type) == Bytes(1)) return "NVSwitches do not reduce 8-bit types in NVLS";
  if (query.op == ReduceOp::sum) return {};
  if (query.op == ReduceOp::prod) return "NVSwitches do not support prod";
  if (query.op == ReduceOp::avg) return "NVSwitches do not support avg";
  if (query.type == DataType::float32 || query.type == DataType::float64)
    return "NVSwitches support min and max only for integers and 16-bit floats";
  return {};
}

LaunchSize launch_size(const TuningModel& model, std::int64_t bytes, TuningAlgorithm algorithm,
                       Protocol protocol) {
  const ChannelCounts& counts = model.communicator.channels;
  if (model.communicator.ranks <= 1) return {1, kMaxThreads};
  int threads = model.threads[index_of(algorithm)][index_of(protocol)];
  const std::int64_t threshold = model.threshold[index_of(algorithm)][index_of(protocol)];
  if (algorithm == nvls || algorithm == nvls_tree) {
    const bool limited = algorithm == nvls && model.communicator.nodes > 1;
    const int own = counts.nvls_retuned > 0 ? counts.nvls_retuned : counts.nvls;
    return {limited ? std::min(own, counts.collective) : own, threads};
  }
  if (algorithm == collnet_direct)
    return {collnet_channels(model, bytes, counts.collective, threads, threshold), threads};
  const int most = std::max(1, counts.collective);
  const int channels = fewer_channels(bytes, most, threads, threshold);
  while (bytes < std::int64_t{channels} * threads * threshold && threads % 128 == 0) threads /= 2;
  if (protocol == Protocol::simple && algorithm == ring)
    threads += kWarp;  // one extra warp waits
                       // for the other ranks
  threads = std::max(threads, 3 * kWarp);
  if (algorithm == tree || algorithm == pat) threads = kMaxThreads;
  return {channels, threads};
}

std::optional<TuningChoice> choose(const TuningModel& model, const TuningQuery& query) {
  std::optional<TuningChoice> best;
  float least = std::numeric_limits<float>::max();
  // 2.32 inserts each estimate at the front and takes the first minimum (tuning.cc).
  const bool last_wins = model.constants->last_of_equals_wins;
  for (const TuningAlgorithm algorithm : kAllTuningAlgorithms) {
    if (!why_not_reduced(query, algorithm).empty()) continue;
    for (const Protocol protocol : kAllProtocols) {
      if (!model.entry(query.kind, algorithm, protocol).why_not.empty()) continue;
      const float time = estimated_time(model, query, algorithm, protocol);
      if (time < 0 || time > least || (time == least && best && !last_wins)) continue;
      least = time;
      best = {.algorithm = algorithm, .protocol = protocol, .time_us = time};
    }
  }
  if (!best) return best;
  const LaunchSize launch = launch_size(model, query.bytes, best->algorithm, best->protocol);
  best->channels = launch.channels;
  best->threads = launch.threads;
  return best;
}

}  // namespace railyard::collectives::nccl
