#include "apps/plan/serve/fabric_transfers.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "placement/serving/service/service_run.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;
using sim::testing::leaf_spine;

/// 8 nodes of one GPU and one NIC of 50 GB/s, 4 to a leaf: prefill replicas below the first leaf,
/// decoding ones below the second. At 4:1 a leaf has one uplink of 50 GB/s.
topology::Cluster two_leaves(double oversubscription) {
  return sim::testing::cluster(8, 1, leaf_spine(4, oversubscription));
}

/// 1 MB of KV cache per token: 50 tokens take 1 ms over a NIC.
PoolLayout one_gpu_each(double start = 0) {
  PoolLayout layout = pool_layout({.replicas = 4, .gpus = 1}, {.replicas = 4, .gpus = 1}, 1, 8);
  layout.token_bytes = 1e6;
  layout.start = start;
  return layout;
}

/// Arrivals in seconds, by request.
std::vector<double> arrivals(TransferNetwork& network, std::size_t count) {
  std::vector<double> at(count);
  std::vector<CacheTransfer> arrived;
  for (std::size_t found = 0; found < count; found += arrived.size()) {
    arrived.clear();
    const double now = network.advance(std::numeric_limits<double>::infinity(), arrived);
    if (arrived.empty()) break;
    for (const CacheTransfer& one : arrived) at[one.request] = now;
  }
  return at;
}

TEST(FabricTransfers, ACacheAloneRunsAtTheRateOfItsNic) {
  const topology::Cluster cluster = two_leaves(4);
  FabricTransfers network(cluster, one_gpu_each(0.25));
  network.send(2, {.request = 0, .from = 0, .to = 0, .tokens = 50});
  EXPECT_NEAR(arrivals(network, 1)[0], 2 + 0.001 + 0.25, 1e-9);
}

TEST(FabricTransfers, CachesOfDifferentReplicasShareAnUplink) {
  // Two caches of 50 MB from different NICs to different NICs. One uplink of 50 GB/s: 25 GB/s each,
  // 2 ms. Four uplinks: 1 ms. NicTransfers cannot tell the two fabrics apart.
  for (const double oversubscription : {1.0, 4.0}) {
    const topology::Cluster cluster = two_leaves(oversubscription);
    FabricTransfers network(cluster, one_gpu_each());
    network.send(0, {.request = 0, .from = 0, .to = 0, .tokens = 50});
    network.send(0, {.request = 1, .from = 1, .to = 1, .tokens = 50});
    const std::vector<double> at = arrivals(network, 2);
    const double expected = oversubscription > 1 ? 0.002 : 0.001;
    EXPECT_NEAR(at[0], expected, 1e-9);
    EXPECT_NEAR(at[1], expected, 1e-9);
  }
}

TEST(FabricTransfers, ACacheThatLeavesLaterSlowsTheFirst) {
  // 100 MB from 0 on at 50 GB/s: 50 MB are left at 1 ms, when another 50 MB leave. Both then run at
  // 25 GB/s, to 3 ms.
  const topology::Cluster cluster = two_leaves(4);
  FabricTransfers network(cluster, one_gpu_each());
  std::vector<CacheTransfer> arrived;
  network.send(0, {.request = 0, .from = 0, .to = 0, .tokens = 100});
  EXPECT_DOUBLE_EQ(network.advance(0.001, arrived), 0.001);
  EXPECT_TRUE(arrived.empty());
  network.send(0.001, {.request = 1, .from = 1, .to = 1, .tokens = 50});
  const std::vector<double> at = arrivals(network, 2);
  EXPECT_NEAR(at[0], 0.003, 1e-9);
  EXPECT_NEAR(at[1], 0.003, 1e-9);
}

TEST(FabricTransfers, AServiceWaitsForTheSharedUplink) {
  // Two prompts end at 1 s on two replicas, their caches of 50 GB take 2 s over one uplink, then
  // one decode of 1 s: the second tokens come at 4 s. (1 s less over a leaf with four uplinks.)
  for (const double oversubscription : {1.0, 4.0}) {
    const topology::Cluster cluster = two_leaves(oversubscription);
    const ReplicaOptions replica{
        .token_budget = 100'000, .max_sequences = 8, .block_tokens = 16, .blocks = 10'000};
    const auto second = [](const StepBatch&) { return 1.0; };
    const ServiceResult run = run_service(
        {{.arrival = 0, .input = 50'000, .output = 2},
         {.arrival = 0, .input = 50'000, .output = 2}},
        {.replicas = 4,
         .replica = replica,
         .prefill = {.replicas = 4,
                     .replica = replica,
                     .seconds = second,
                     .network =
                         [&] {
                           return std::make_unique<FabricTransfers>(cluster, one_gpu_each());
                         }}},
        second);
    for (const Served& one : run.requests)
      EXPECT_NEAR(one.last_token, oversubscription > 1 ? 4 : 3, 1e-9);
  }
}

}  // namespace
}  // namespace railyard::apps
