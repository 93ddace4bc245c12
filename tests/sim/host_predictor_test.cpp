#include "sim/host_predictor.hpp"

#include <gtest/gtest.h>

#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;

constexpr std::int64_t kMiB = 1 << 20;

/// Two ranks on the cores of a host; each has this bandwidth to its CPU.
topology::Cluster host(Bandwidth bandwidth) {
  topology::NodeSpec node = nvswitch_node(2);
  node.nvlinks.clear();
  node.cpus.front().pcie.clear();
  for (int g = 0; g < 2; ++g) {
    topology::PcieSpec rank;
    rank.kind = topology::PcieKind::gpu;
    rank.gpu = g;
    rank.bandwidth = bandwidth;
    node.cpus.front().pcie.push_back(rank);
  }
  return cluster_of(std::move(node), 1, fabric(topology::FabricKind::single_switch));
}

/// The time to send so many MiB from rank 0 to rank 1.
template <class Predictor>
Time time_of(const Predictor& predictor, const topology::Cluster& cluster, std::int64_t mebibytes) {
  const auto result = predictor.run(sends(cluster, Bytes(mebibytes * kMiB), {{0, 1}}), false);
  return result.finish - result.start;
}

// Two ranks: buffers of twice the size. Of a cache of 32 MiB, 24 MiB hold buffers: up to 12 MiB the
// cache serves all. At 24 MiB w = 5/13 (tests/topology/node/host_memory_test.cpp). At 64 MiB the
// buffers are four times the cache: w = 0.
TEST(HostPredictor, TheCacheServesItsPartOfTheBuffers) {
  const topology::Cluster memory = host(10_GBps), cache = host(40_GBps);
  const HostEngines slow(memory), fast(cache);
  const HostPredictor predictor(
      memory, {}, topology::HostMemory{.cache = Bytes(32 * kMiB), .bandwidth = 40_GBps});
  EXPECT_GT(time_of(slow, memory, 12), time_of(fast, cache, 12) * 3);
  EXPECT_EQ(time_of(predictor, memory, 12), time_of(fast, cache, 12));
  EXPECT_EQ(time_of(predictor, memory, 64), time_of(slow, memory, 64));
  EXPECT_NEAR(
      time_of(predictor, memory, 24).microseconds(),
      (5 * time_of(fast, cache, 24).microseconds() + 8 * time_of(slow, memory, 24).microseconds()) /
          13,
      1e-5);
}

TEST(HostPredictor, WithoutACacheTheClusterAloneCounts) {
  const topology::Cluster memory = host(10_GBps);
  const HostPredictor predictor(memory, {}, std::nullopt);
  EXPECT_EQ(time_of(predictor, memory, 1), time_of(HostEngines(memory), memory, 1));
}

}  // namespace
}  // namespace railyard::sim
