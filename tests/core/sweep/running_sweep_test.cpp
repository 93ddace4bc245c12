#include "core/sweep/running_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;

Outcome with_rows(std::size_t count) {
  return {.exit_code = 0,
          .error = {},
          .notes = {},
          .seconds = 0,
          .tables = {{.kind = "sim",
                      .columns = {{.name = "time_us"}},
                      .rows = std::vector<std::vector<Value>>(count, {Value(1.0)})}}};
}

Outcome with_error(const std::string& error) {
  return {.exit_code = 2, .error = error, .notes = {}, .seconds = 0, .tables = {}};
}

class RunningSweepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("railyard_running_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Three points of one field that cost 1, 3 and 2.
  [[nodiscard]] SweepStart start(bool retries = false) const {
    return {.database = folder_ / "out.sqlite",
            .definition = {{"sim"}, {"nodes"}},
            .keys = {{{"1"}, "a"}, {{"2"}, "b"}, {{"4"}, "c"}},
            .costs = {1, 3, 2},
            .shard = {},
            .retries = retries};
  }

 private:
  fs::path folder_;
};

TEST_F(RunningSweepTest, HandsOutLongPointsFirstAndCountsRowsAndFailures) {
  RunningSweep sweep(start());
  EXPECT_THAT(sweep.order(), ElementsAre(1, 2, 0));
  EXPECT_EQ(sweep.digest(2), "c");
  EXPECT_EQ(sweep.points().next(), 1U);
  EXPECT_EQ(sweep.finish(1, with_rows(2)), 2U);
  EXPECT_EQ(sweep.points().next(), 2U);
  EXPECT_EQ(sweep.finish(2, with_error("too large")), 2U);
  EXPECT_EQ(sweep.points().next(), 0U);
  EXPECT_EQ(sweep.finish(0, with_error("too small")), 2U);
  EXPECT_EQ(sweep.points().next(), std::nullopt);
  EXPECT_THAT(sweep.failures(), ElementsAre(Pair(0, "too small"), Pair(2, "too large")));
  sweep.close();
}

// A failed point is done, unless it is to be run again.
TEST_F(RunningSweepTest, PointsWithAnOutcomeAreNotHandedOutAgain) {
  {
    RunningSweep sweep(start());
    sweep.finish(0, with_rows(1));
    sweep.finish(1, with_error("too large"));
    sweep.close();
  }
  {
    const RunningSweep sweep(start());
    EXPECT_THAT(sweep.order(), ElementsAre(2));
    EXPECT_EQ(sweep.states().done, 2U);
    EXPECT_EQ(sweep.states().failed, 1U);
  }
  const RunningSweep again(start(true));
  EXPECT_THAT(again.order(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace railyard::core::sweep
