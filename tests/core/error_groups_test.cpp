#include "core/error_groups.hpp"

#include <gtest/gtest.h>

#include <array>

namespace railyard::core {
namespace {

struct Measured {
  std::string machine;
  double predicted = 0, measured = 0;
  [[nodiscard]] std::optional<double> error() const {
    if (measured <= 0) return std::nullopt;
    return error_pct(predicted, measured);
  }
};

const std::vector<Measured> kRuns{{"b", 11, 10}, {"a", 9, 10}, {"b", 13, 10}, {"b", 5, 0}};

TEST(ErrorGroups, AreInTheOrderOfNamesWithTheOverallOnesBehind) {
  const auto groups =
      run_groups<Measured>(kRuns, [](const Measured& run) { return std::array{run.machine}; },
                           {{"measured", [](const Measured& run) { return run.measured > 0; }},
                            {"huge", [](const Measured& run) { return run.predicted > 100; }}});
  ASSERT_EQ(groups.size(), 3U);  // "huge" has no run
  EXPECT_EQ(groups[0].name, "a");
  EXPECT_EQ(groups[1].name, "b");
  EXPECT_FALSE(groups[1].is_overall);
  EXPECT_EQ(groups[2].name, "measured");
  EXPECT_TRUE(groups[2].is_overall);
  EXPECT_EQ(groups[2].runs.size(), 3U);
}

TEST(ErrorGroups, LeaveOutRunsWithoutAnError) {
  const auto groups =
      run_groups<Measured>(kRuns, [](const Measured& run) { return std::array{run.machine}; });
  // Of b: +10 %, +30 %, and a run that was not measured.
  const ErrorSummary errors = groups[1].errors(&Measured::error);
  EXPECT_EQ(errors.count, 2U);
  EXPECT_NEAR(errors.mean, 20, 1e-9);
  EXPECT_NEAR(errors.bias, 20, 1e-9);
}

TEST(ErrorGroups, ARunCanBelongToSeveralGroups) {
  const auto groups = run_groups<Measured>(kRuns, [](const Measured& run) {
    return std::array{run.machine, "all " + run.machine};
  });
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[1].name, "all a");
}

}  // namespace
}  // namespace railyard::core
