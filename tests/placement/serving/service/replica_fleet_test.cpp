#include "placement/serving/service/replica_fleet.hpp"

#include <gtest/gtest.h>

#include "placement/serving/service/service_run.hpp"

namespace railyard::placement::serving {
namespace {

constexpr Autoscale kScale{.least = 1, .target = 2, .interval = 10, .startup = 5, .hold = 30};

TEST(ReplicaFleet, MoreRequestsStartReplicasThatServeAfterTheirStart) {
  // 5 requests at 2 per replica want 3 replicas: the second and third are started.
  ReplicaFleet fleet(4, kScale);
  EXPECT_TRUE(fleet.serves(0));
  EXPECT_EQ(fleet.decide(10, 5), (std::vector<std::size_t>{1, 2}));
  EXPECT_FALSE(fleet.serves(1));
  fleet.started(15, 1);
  fleet.started(15, 2);
  EXPECT_TRUE(fleet.serves(2));
  // One replica to 10, three to 20.
  EXPECT_DOUBLE_EQ(fleet.replica_seconds(20), 10 + 3 * 10);
  // 100 requests want 50; there are 4.
  EXPECT_EQ(fleet.decide(20, 100), (std::vector<std::size_t>{3}));
}

TEST(ReplicaFleet, FewerAreKeptUntilNoRecentDecisionWantedMore) {
  ReplicaFleet fleet(4, kScale);
  (void)fleet.decide(10, 5);
  fleet.started(15, 1);
  fleet.started(15, 2);
  // The decision of 10 holds up to 40; at 50 one replica is wanted, the others end.
  (void)fleet.decide(40, 0);
  EXPECT_TRUE(fleet.serves(2));
  (void)fleet.decide(50, 0);
  EXPECT_FALSE(fleet.serves(1));
  EXPECT_TRUE(fleet.serves(0));
  // The second ends at 55, the third at 60: 10 + 3 · 40 to 50, 3 · 5 and 2 · 5, then 1 · 10.
  fleet.idle(55, 1);
  fleet.idle(60, 2);
  EXPECT_DOUBLE_EQ(fleet.replica_seconds(70), 10 + 3 * 40 + 3 * 5 + 2 * 5 + 10);
  // One that was told to end serves again when it is wanted.
  (void)fleet.decide(80, 4);
  fleet.started(85, 1);
  EXPECT_TRUE(fleet.serves(1));
}

TEST(ReplicaFleet, AServiceScalesWithItsLoad) {
  // Requests of one step of 8 s each, one at a time per replica. Six come at 0, so at 10 five are
  // left (the first ends at 8): three replicas are wanted, two more serve from 15 on. Four later
  // requests at 16 find the first replica with four waiting or running, so they go to the others.
  std::vector<Request> requests(6, {.input = 1, .output = 1});
  for (int i = 0; i < 4; ++i) requests.push_back({.arrival = 16, .input = 1, .output = 1});
  const ReplicaOptions one{.max_sequences = 1, .blocks = 10};
  const ServiceResult run =
      run_service(requests, {.replicas = 4, .replica = one, .autoscale = kScale},
                  [](const StepBatch&) { return 8.0; });
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(run.requests[i].replica, 0);
    EXPECT_DOUBLE_EQ(run.requests[i].last_token, 8.0 * static_cast<double>(i + 1));
  }
  EXPECT_EQ(run.requests[6].replica, 1);
  EXPECT_EQ(run.requests[7].replica, 2);
  EXPECT_DOUBLE_EQ(run.requests[8].last_token, 32);
  // One replica to 10, three to 20, where the eight that are left want four; all is done at 48.
  EXPECT_NEAR(run.mean_replicas, (10 + 3 * 10 + 4 * 28) / 48.0, 1e-9);
}

TEST(ReplicaFleet, WithoutAutoscaleAllRunAllTheTime) {
  const ServiceResult run =
      run_service({{.input = 1, .output = 1}}, {.replicas = 3, .replica = {.blocks = 9}},
                  [](const StepBatch&) { return 2.0; });
  EXPECT_DOUBLE_EQ(run.mean_replicas, 3);
}

}  // namespace
}  // namespace railyard::placement::serving
