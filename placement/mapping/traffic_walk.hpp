#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "placement/mapping/mapping.hpp"
#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"

namespace railyard::placement {

/// Splits traffic into transfers between single GPUs. A sink has
///   void inside(Rank from, Rank to, double bytes);   // GPUs of one node
///   void across(Rank from, Rank to, double bytes);   // GPUs of two nodes
///   void exchange(std::span<const Rank> gpus, double each);  // every pair, both directions
/// The order of nodes depends only on which ranks share a node, not on the position of the nodes.
class TrafficWalk {
 public:
  explicit TrafficWalk(const Tiers& tiers)
      : tiers_(&tiers), stamp_(tiers.cluster().node_count(), 0), place_(stamp_.size(), 0) {}

  template <class Sink>
  void operator()(const Traffic& traffic, const Mapping& mapping, Sink& sink) {
    const auto bytes = static_cast<double>(traffic.bytes.count());
    for (std::size_t g = 0; g < traffic.groups.count(); ++g) {
      gpus_.clear();
      for (const JobRank rank : traffic.groups[g]) gpus_.push_back(mapping[rank]);
      if (gpus_.size() < 2) continue;
      switch (traffic.pattern) {
        case TrafficPattern::ring: ring(bytes, sink); break;
        case TrafficPattern::chain: chain(bytes, sink); break;
        case TrafficPattern::all_to_all:
          sink.exchange(std::span<const Rank>(gpus_), bytes / static_cast<double>(gpus_.size()));
          break;
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t node(Rank gpu) const { return tiers_->gpu_position(gpu).node; }

  template <class Sink>
  void chain(double bytes, Sink& sink) {
    for (std::size_t i = 0; i + 1 < gpus_.size(); ++i) {
      for (const auto& [from, to] : {std::pair(gpus_[i], gpus_[i + 1]), {gpus_[i + 1], gpus_[i]}}) {
        if (node(from) == node(to)) {
          sink.inside(from, to, bytes);
        } else {
          sink.across(from, to, bytes);
        }
      }
    }
  }

  // Sorts the GPUs by node, nodes by first appearance, and lists the first GPU of each node.
  void sort_by_node() {
    ++round_;
    std::uint32_t nodes = 0;
    for (const Rank gpu : gpus_) {
      const std::uint32_t n = node(gpu);
      if (stamp_[n] == round_) continue;
      stamp_[n] = round_;
      place_[n] = nodes++;
    }
    starts_.clear();
    if (nodes == gpus_.size()) return;  // one GPU per node: already sorted, no starts needed
    std::ranges::sort(gpus_, [&](Rank a, Rank b) {
      const std::uint32_t x = place_[node(a)], y = place_[node(b)];
      return x != y ? x < y : a < b;
    });
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      if (i == 0 || node(gpus_[i]) != node(gpus_[i - 1])) starts_.push_back(i);
    }
    starts_.push_back(gpus_.size());
  }

  template <class Sink>
  void ring(double bytes, Sink& sink) {
    sort_by_node();
    const std::size_t n = gpus_.size();
    if (starts_.empty()) {
      for (std::size_t i = 0; i < n; ++i)
        sink.across(gpus_[i], gpus_[i + 1 < n ? i + 1 : 0], bytes);
      return;
    }
    const std::size_t nodes = starts_.size() - 1;
    std::size_t channels = n;
    for (std::size_t a = 0; a < nodes; ++a)
      channels = std::min(channels, starts_[a + 1] - starts_[a]);
    for (std::size_t a = 0; a < nodes; ++a) {
      const std::size_t first = starts_[a], k = starts_[a + 1] - first;
      // Inside a node each channel uses k-1 of the ring's k links, from its first to its last GPU.
      const double hop =
          nodes == 1 ? bytes : bytes * static_cast<double>(k - 1) / static_cast<double>(k);
      for (std::size_t i = 0; k > 1 && i < k; ++i)
        sink.inside(gpus_[first + i], gpus_[first + (i + 1) % k], hop);
      if (nodes == 1) continue;
      const std::size_t next = starts_[(a + 1) % nodes];
      for (std::size_t c = 0; c < channels; ++c)
        sink.across(gpus_[first + c], gpus_[next + c], bytes / static_cast<double>(channels));
    }
  }

  const Tiers* tiers_;
  std::vector<Rank> gpus_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> stamp_, place_;
  std::uint32_t round_ = 0;
};

}  // namespace railyard::placement
