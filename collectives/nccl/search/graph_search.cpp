#include "collectives/nccl/search/graph_search.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/nccl/graph/compute_capability.hpp"
#include "collectives/nccl/search/relaxation.hpp"
#include "collectives/nccl/search/search_speeds.hpp"

namespace railyard::collectives::nccl {
namespace {

// Limits on the number of tried GPUs: NCCL 2.30.7 src/graph/search.cc, NCCL_SEARCH_TIMEOUT,
// NCCL_SEARCH_TIMEOUT_SAMECHANNELS and NCCL_SEARCH_GLOBAL_TIMEOUT.
constexpr std::int64_t kSteps = 1 << 14, kStepsSameChannels = 1 << 8, kStepsInAll = 1 << 19;

// Bandwidths in GB/s from which channels are doubled (same file, ncclTopoDupChannels).
constexpr float kDoubleFrom = 25, kDoubleManyFrom = 50;
constexpr int kMany = 4;

// Largest numbers of heads: NCCL_MAX_NVLS_ARITY and NCCL_MAX_DIRECT_ARITY + 1 in
// src/include/device.h.
constexpr int kMaxNvlsHeads = 32, kMaxDirectHeads = 8;

class GraphSearch {
 public:
  GraphSearch(NodeResources& resources, const SearchEnvironment& environment,
              const GraphRequest& request)
      : resources_(resources),
        capability_(resources.system.min_compute_capability()),
        version_(environment.version),
        speeds_(search_speeds(capability_, resources.inter, environment.version)),
        limits_(search_limits(resources, environment, request.pattern)) {
    best_.pattern = request.pattern;
    best_.collnet = request.collnet;
    best_.min_channels = request.min_channels;
    best_.max_channels = request.max_channels;
    best_.gpu_count = resources.system.gpus.size();
    prepare();
  }

  Candidate run() && {
    if (best_.pattern == GraphPattern::nvls &&
        (resources_.system.count(VertexKind::nvs) == 0 || capability_ < kHopper))
      return best_;
    find();
    double_channels();
    raise();
    if (best_.channels == 0 && !best_.collnet && best_.pattern != GraphPattern::nvls) fall_back();
    return best_;
  }

 private:
  void prepare() {
    const int gpus = resources_.system.gpu_count();
    if (best_.pattern == GraphPattern::nvls) best_.max_channels = std::min(kMaxNvlsHeads, gpus);
    if (best_.pattern == GraphPattern::collnet_direct)
      best_.max_channels = std::min(kMaxDirectHeads, gpus);
    if (gpus == 1 && best_.pattern != GraphPattern::ring) best_.pattern = GraphPattern::tree;
    if (!resources_.inter && best_.pattern == GraphPattern::nvls)
      best_.min_channels = best_.max_channels;
    // A tree over two NVLink islands needs two channels, and rings must have the same number of
    // channels.
    if (best_.pattern == GraphPattern::ring && limits_.two_nvlink_islands &&
        best_.max_channels >= 2 && best_.min_channels == 1)
      best_.min_channels = 2;
    best_.type_intra = limits_.min_intra;
    best_.type_inter = limits_.min_inter;
    best_.cross_nic = limits_.first_cross_nic();
    best_.same_channels = limits_.try_same_channels;
    const auto channels = static_cast<std::size_t>(std::max(1, best_.max_channels));
    best_.gpus.assign(channels * best_.gpu_count, 0);
    best_.nets.assign(channels, {});
  }

  /// All inputs on which the result of an attempt depends. Limits that allow the same paths are
  /// equal.
  using Limits = std::tuple<GraphPattern, bool, int, unsigned, unsigned, float>;

  [[nodiscard]] Limits limits_of_trial() const {
    const auto passing = [](unsigned types, PathType farthest) {
      return types & ((2U << static_cast<unsigned>(farthest)) - 1);
    };
    return {trial_.pattern,
            trial_.same_channels,
            trial_.cross_nic,
            passing(resources_.types_intra, trial_.type_intra),
            passing(resources_.types_inter, trial_.type_inter),
            trial_.bandwidth_inter};
  }

  /// An attempt of the first pass. NCCL repeats an attempt even if a looser limit allows no
  /// additional path. Such an attempt would do the same, find nothing better and take as many
  /// steps, so its result is taken from a cache. This does not hold for graphs with heads (NVLS,
  /// CollNetDirect): NCCL rounds their fractional hops to integers, and the accumulated rounding
  /// error makes later attempts shorter.
  std::int64_t attempt_once() {
    const Limits limits = limits_of_trial();
    const auto known = std::ranges::find(walked_, limits, &std::pair<Limits, std::int64_t>::first);
    if (known != walked_.end()) {
      steps_left_ -= trial_.same_channels ? kStepsSameChannels : kSteps;
      return known->second;
    }
    const std::int64_t left = attempt();
    if (trial_.pattern != GraphPattern::nvls && trial_.pattern != GraphPattern::collnet_direct)
      walked_.emplace_back(limits, left);
    return left;
  }

  /// Runs the search with the trial's limits. Returns the unused steps, or kPerfect.
  std::int64_t attempt() {
    const std::int64_t steps = trial_.same_channels ? kStepsSameChannels : kSteps;
    steps_left_ -= steps;
    return ChannelSearch(resources_, trial_, best_).run(steps);
  }

  [[nodiscard]] bool uses_everything() const {
    return static_cast<float>(best_.channels) * best_.bandwidth_inter >= limits_.total_bandwidth;
  }

  [[nodiscard]] std::size_t slowest() const { return speeds_.size() - 1; }

  /// First pass: decreasing bandwidths per channel.
  void find() {
    trial_ = best_;
    float total = limits_.total_bandwidth;
    const auto gpus = static_cast<double>(resources_.system.gpu_count());
    if (gpus > 1 && trial_.pattern != GraphPattern::ring)
      total = static_cast<float>(static_cast<double>(total) * (gpus / (gpus - 1)));
    std::size_t speed = 0;
    while ((speeds_[speed] > limits_.max_bandwidth ||
            speeds_[speed] * static_cast<float>(trial_.min_channels) > total) &&
           speed < slowest())
      ++speed;
    trial_.bandwidth_intra = trial_.bandwidth_inter = speeds_[speed];
    steps_left_ = kStepsInAll;
    for (;;) {
      const std::int64_t left = attempt_once();
      if (left == ChannelSearch::kPerfect || uses_everything()) return;
      if (may_vary_channels(trial_, limits_)) {
        trial_.same_channels = false;
        continue;
      }
      steps_left_ = left == ChannelSearch::kPerfect ? kStepsInAll : steps_left_ + left;
      if (steps_left_ < 0 && best_.channels > 0) return;
      if (relax(trial_, best_, limits_)) continue;
      // A lower bandwidth is only tried if it is more than half of the bandwidth found, because
      // double the number of channels could not be better otherwise.
      constexpr double kHalf = .49;
      const bool worth = speed < slowest() &&
                         (best_.channels == 0 ||
                          static_cast<double>(speeds_[speed + 1] / best_.bandwidth_inter) > kHalf);
      if (!worth) return;
      trial_.bandwidth_intra = trial_.bandwidth_inter = speeds_[++speed];
    }
  }

  void double_channels() {
    if (best_.channels == 0 || best_.pattern == GraphPattern::nvls) return;
    if (best_.bandwidth_intra < kDoubleFrom) return;
    if (capability_ > kAmpere && best_.bandwidth_intra < kDoubleManyFrom && best_.channels > kMany)
      return;
    const int channels = std::min(best_.channels * 2, best_.max_channels);
    for (int channel = best_.channels; channel < channels; ++channel) {
      for (int step = 0; step < resources_.system.gpu_count(); ++step)
        best_.gpu(channel, step) = best_.gpu(channel - best_.channels, step);
      best_.net(channel) = best_.net(channel - best_.channels);
    }
    const int times = (channels + best_.channels - 1) / best_.channels;
    best_.bandwidth_intra /= static_cast<float>(times);
    best_.bandwidth_inter /= static_cast<float>(times);
    best_.channels = channels;
  }

  /// Second pass: increasing bandwidths with the same number of channels.
  void raise() {
    trial_ = best_;
    std::size_t speed = 0;
    while (speeds_[speed] > best_.bandwidth_inter && speed < slowest()) ++speed;
    trial_.bandwidth_intra = trial_.bandwidth_inter = speeds_[speed];
    trial_.min_channels = best_.channels;
    std::int64_t left = ChannelSearch::kPerfect;
    while (left != 0 && speed > 0 && raise_one(speed)) left = attempt();
  }

  /// Raises the bandwidths by one step; returns false if they may not be raised. For rings both are
  /// raised. For NVLS the bandwidth to the network is raised, up to twice the bandwidth inside. For
  /// trees the bandwidth inside is raised, up to twice that to the network.
  bool raise_one(std::size_t& speed) {
    if (trial_.pattern == GraphPattern::ring) {
      trial_.bandwidth_intra = trial_.bandwidth_inter = speeds_[--speed];
      return true;
    }
    if (best_.pattern == GraphPattern::nvls && trial_.bandwidth_inter == best_.bandwidth_inter &&
        trial_.bandwidth_inter < trial_.bandwidth_intra * 2) {
      trial_.min_channels = trial_.max_channels = best_.channels;
      trial_.bandwidth_inter = speeds_[--speed];
      return true;
    }
    if (trial_.bandwidth_intra != best_.bandwidth_intra ||
        trial_.bandwidth_intra >= trial_.bandwidth_inter * 2)
      return false;
    trial_.bandwidth_intra = speeds_[--speed];
    return true;
  }

  void fall_back() {
    constexpr float kSlow = .1F;
    const int gpus = resources_.system.gpu_count();
    for (int gpu = 0; gpu < gpus; ++gpu) best_.gpu(0, gpu) = gpu;
    best_.channels = 1;
    best_.bandwidth_intra = best_.bandwidth_inter = kSlow;
    best_.type_intra = best_.type_inter = PathType::sys;
    best_.net(0) = {.in = 0, .out = 0};
    if (version_ == Version::v2_28) return;
    const auto first = [this](int gpu) {
      const std::vector<int>& nets = resources_.nets.given(gpu);
      return nets.empty() ? -1 : nets.front();
    };
    best_.net(0) = {.in = first(0), .out = first(gpus - 1)};
    if (best_.net(0).in >= 0 && best_.net(0).out >= 0) return;
    best_.bandwidth_inter = 0;
    best_.type_inter = PathType::dis;
  }

  NodeResources& resources_;
  int capability_;
  Version version_;
  std::span<const float> speeds_;
  SearchLimits limits_;
  Candidate best_, trial_;
  std::int64_t steps_left_ = 0;
  std::vector<std::pair<Limits, std::int64_t>> walked_;  ///< with the steps that they left
};

}  // namespace

Candidate search_graph(NodeResources& resources, const SearchEnvironment& environment,
                       const GraphRequest& request) {
  return GraphSearch(resources, environment, request).run();
}

std::optional<Graph> to_graph(const System& system, const Candidate& candidate, bool inter) {
  if (candidate.channels == 0) return std::nullopt;
  Graph graph{.pattern = candidate.pattern,
              .channels = candidate.channels,
              .bandwidth_intra = candidate.bandwidth_intra,
              .bandwidth_inter = candidate.bandwidth_inter,
              .latency_inter = candidate.latency_inter,
              .type_intra = candidate.type_intra,
              .type_inter = candidate.type_inter,
              .cross_nic = candidate.cross_nic,
              .same_channels = candidate.same_channels,
              .orders = {}};
  const auto dev = [&](int net) {
    return inter && net >= 0 ? system.nets[static_cast<std::size_t>(net)].dev : -1;
  };
  // For NVLS only the head of a channel is listed.
  const int length = candidate.pattern == GraphPattern::nvls ? 1 : system.gpu_count();
  for (int channel = 0; channel < candidate.channels; ++channel) {
    GraphChannel order{.gpus = {},
                       .net_in = dev(candidate.net(channel).in),
                       .net_out = dev(candidate.net(channel).out)};
    for (int step = 0; step < length; ++step) {
      const auto gpu = static_cast<std::size_t>(candidate.gpu(channel, step));
      order.gpus.push_back(system.gpus[gpu].rank);
    }
    graph.orders.push_back(std::move(order));
  }
  return graph;
}

}  // namespace railyard::collectives::nccl
