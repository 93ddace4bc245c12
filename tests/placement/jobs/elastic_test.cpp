#include "placement/jobs/elastic.hpp"

#include <gtest/gtest.h>

#include "placement/model/parameters.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using namespace topology::testing;

Job job_of(const std::string& model) {
  Job job;
  job.model = read_model(model);
  job.batch = 64;
  job.sequence = 2048;
  return job;
}

double parameters(const Job& job) { return static_cast<double>(count_parameters(job.model).total); }

struct Elastic : ::testing::Test {
  topology::Cluster cluster = small_cluster(leaf_spine(2), 4, 2);
  Job job = job_of("megatron_1.7b");
  Moves moves(const Strategy& before, Mapping old_gpus, const Strategy& after, Mapping gpus) {
    const Mapping left = gpus;
    return moves_between(job, cluster, {before, std::move(old_gpus)}, {after, std::move(gpus)},
                         left.gpus);
  }
};

TEST_F(Elastic, NothingMovesWhereNothingChanges) {
  const Strategy s{.tp = 2, .pp = 2, .dp = 2, .zero = 1};
  const Moves same = moves(s, identity(8), s, identity(8));
  EXPECT_NEAR(same.moved, 0, 1);
  EXPECT_EQ(same.checkpoint, 0);
}

// A replica on two new GPUs needs 2 + 12 bytes a parameter, half on each; its state is on the
// other.
TEST_F(Elastic, ANewReplicaGetsEverything) {
  const Strategy before{.tp = 2, .dp = 1}, after{.tp = 2, .dp = 2};
  const Moves grown = moves(before, identity(2), after, identity(4));
  EXPECT_NEAR(grown.moved, 14 * parameters(job), 1e3);
  EXPECT_NEAR(grown.most, 14 * parameters(job), 1e3);  // both on node 1
  EXPECT_EQ(grown.checkpoint, 0);
}

// ZeRO 1 over two replicas, the second leaves: the first has its half of the state and gets 6 bytes
// a parameter, which only the lost replica held.
TEST_F(Elastic, WhatOnlyTheLostHeldComesFromACheckpoint) {
  const Strategy before{.dp = 2, .zero = 1}, after{.dp = 1};
  const Moves shrunk = moves(before, identity(2), after, identity(1));
  EXPECT_NEAR(shrunk.moved, 6 * parameters(job), 1e3);
  EXPECT_NEAR(shrunk.checkpoint, 6 * parameters(job), 1e3);
}

// The same with the second GPU idle, not lost: it still has its half.
TEST_F(Elastic, WhatAnIdleGpuHoldsIsNotLost) {
  const Strategy before{.dp = 2, .zero = 1}, after{.dp = 1};
  const Moves shrunk =
      moves_between(job, cluster, {before, identity(2)}, {after, identity(1)}, identity(2).gpus);
  EXPECT_NEAR(shrunk.moved, 6 * parameters(job), 1e3);
  EXPECT_EQ(shrunk.checkpoint, 0);
}

// Two stages become one: each GPU has half of what it needs.
TEST_F(Elastic, StagesThatBecomeOneMoveHalf) {
  const Strategy before{.pp = 2, .dp = 1}, after{.pp = 1, .dp = 2};
  EXPECT_NEAR(moves(before, identity(2), after, identity(2)).moved, 2 * 7 * parameters(job), 1e3);
}

// Steps of 9 s against 10 s, 25 s more to move: 25 steps of 9 s, and the 25 s.
TEST(PaybackTime, CountsStepsUntilTheMoveIsMadeUpFor) {
  EXPECT_EQ(payback_time(25000_ms, 9000_ms, 10000_ms), 250000_ms);
  EXPECT_FALSE(payback_time(25000_ms, 10000_ms, 10000_ms));
  EXPECT_EQ(payback_time(Time(), 9000_ms, 10000_ms), Time());
}

}  // namespace
}  // namespace railyard::placement
