#include "hw/live_row.hpp"

#include <gtest/gtest.h>

#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using namespace literals;

// The median of 10, 12 and 50 us is 12 us; 15 us are 25 % more.
TEST(LiveRow, ItsTimeIsTheMedianAndThePredictionIsComparedWithIt) {
  const topology::Cluster cluster = testing::cluster_of(1, 2);
  const collectives::Schedule schedule =
      testing::schedule_of(cluster, 2, {.kind = collectives::Kind::all_reduce, .bytes = 1_MiB},
                           testing::channel_of({{{.source = 0, .destination = 1}}}, 1));
  Measured measured;
  measured.times = {50_us, 10_us, 12_us};
  measured.skews = {1_us, 2_us, 3_us};
  measured.check.wrong = 4;
  const collectives::Measurement alone = live_row(schedule, measured, "local", 7, std::nullopt);
  EXPECT_EQ(alone.time, 12_us);
  EXPECT_EQ(alone.live->min, 10_us);
  EXPECT_EQ(alone.live->p99, 50_us);
  EXPECT_EQ(alone.live->skew, 2_us);
  EXPECT_EQ(alone.live->wrong, 4);
  EXPECT_FALSE(alone.live->predicted.has_value());
  EXPECT_FALSE(alone.live->error_pct.has_value());
  collectives::TaskResult predicted;
  predicted.start = 5_us;
  predicted.finish = 20_us;
  predicted.bound_by.text = "a link";
  const collectives::Measurement beside = live_row(schedule, measured, "local", 7, predicted);
  EXPECT_EQ(*beside.live->predicted, 15_us);
  EXPECT_NEAR(*beside.live->error_pct, 25, 1e-9);
  EXPECT_EQ(beside.bound_by, "a link");
}

TEST(LiveRow, ANativeCollectiveHasTheLibrarysChoiceIfItIsReported) {
  collectives::Measurement row;
  row.algorithm = "ring";
  row.protocol = "simple";
  row.channels = 4;
  set_native(std::nullopt, row);
  EXPECT_EQ(row.algorithm, "native");
  EXPECT_EQ(row.protocol, "");
  EXPECT_EQ(row.channels, 0);
  set_native(LibraryChoice{.algorithm = "tree", .protocol = "ll", .channels = 2}, row);
  EXPECT_EQ(row.algorithm, "native:tree");
  EXPECT_EQ(row.protocol, "ll");
  EXPECT_EQ(row.channels, 2);
}

}  // namespace
}  // namespace railyard::hw
