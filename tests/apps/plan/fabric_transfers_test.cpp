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

// 0.25 s and 1 ms for 50 tokens of 1 MB each at 50 GB/s, from 2 s on.
TEST(FabricTransfers, ACacheIsTheMessageOfItsParts) {
  const topology::Cluster cluster = two_leaves(4);
  FabricTransfers network(cluster, one_gpu_each(0.25));
  network.send(2, {.request = 7, .from = 0, .to = 0, .tokens = 50});
  std::vector<CacheTransfer> arrived;
  EXPECT_NEAR(network.advance(std::numeric_limits<double>::infinity(), arrived), 2.251, 1e-9);
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].request, 7u);
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
