#include "hw/acceptance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::hw {
namespace {

using collectives::Measurement;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Measurement row(const char* collective, std::int64_t bytes, double measured_us,
                double predicted_us) {
  Measurement row;
  row.collective = collective;
  row.bytes = Bytes(bytes);
  row.bound_by = "node0/nic0";
  row.live = Measurement::Live{};
  row.live->p50 = Time::from_seconds(measured_us * 1e-6);
  row.live->predicted = Time::from_seconds(predicted_us * 1e-6);
  return row;
}

const Tolerance kTwentyPercent = [](const Measurement&) { return 0.2; };

TEST(Acceptance, ARowMayTakeItsPredictedTimeAndTheTolerance) {
  const std::vector<Measurement> rows{row("all_reduce", 1 << 20, 119, 100),
                                      row("all_reduce", 1 << 21, 121, 100),
                                      row("all_reduce", 1 << 22, 30, 100)};
  const auto checks = check_acceptance(rows, kTwentyPercent);
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_NEAR(checks[0].limit.microseconds(), 120, 1e-6);
  EXPECT_TRUE(checks[0].is_accepted);
  EXPECT_FALSE(checks[1].is_accepted);
  EXPECT_TRUE(checks[2].is_accepted);  // faster than predicted
}

TEST(Acceptance, TheToleranceIsThatOfTheRow) {
  const std::vector<Measurement> rows{row("all_reduce", 1 << 10, 140, 100),
                                      row("all_reduce", 1 << 30, 140, 100)};
  const auto checks = check_acceptance(
      rows, [](const Measurement& one) { return one.bytes > Bytes(1 << 20) ? 0.1 : 0.5; });
  EXPECT_TRUE(checks[0].is_accepted);
  EXPECT_FALSE(checks[1].is_accepted);
}

TEST(Acceptance, AWrongResultIsNotAccepted) {
  std::vector<Measurement> rows{row("broadcast", 1 << 20, 100, 100)};
  rows[0].live->wrong = 7;
  const auto checks = check_acceptance(rows, kTwentyPercent);
  EXPECT_FALSE(checks[0].is_accepted);
  EXPECT_THAT(acceptance_answers(rows, checks, "two").at(1), HasSubstr("wrong elements"));
}

TEST(Acceptance, TheAnswerNamesTheSlowestRowOfEachFailedCollective) {
  std::vector<Measurement> rows{
      row("all_reduce", 1 << 20, 100, 100), row("all_to_all", 1 << 20, 150, 100),
      row("all_to_all", 1 << 21, 460, 200), row("all_to_all", 1 << 22, 400, 400)};
  rows[1].live->error_term = rows[2].live->error_term = "bandwidth";
  const auto checks = check_acceptance(rows, kTwentyPercent);
  const auto answers = acceptance_answers(rows, checks, "two");
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0],
            "Not accepted: 2 of 4 measurements exceed the limits for two, or are wrong.");
  EXPECT_EQ(answers[1],
            "all_to_all: 2 of 3 measurements fail; 2M takes 460.00 us, 2.30 times the predicted "
            "200.00 us (bound by node0/nic0); the difference is in the bandwidth.");
  EXPECT_THAT(answers[2], HasSubstr("railyard diagnose"));
}

TEST(Acceptance, AllRowsWithinTheirLimitsAreOneSentence) {
  const std::vector<Measurement> rows{row("all_reduce", 1 << 20, 90, 100),
                                      row("all_gather", 1 << 20, 110, 100)};
  EXPECT_THAT(acceptance_answers(rows, check_acceptance(rows, kTwentyPercent), "two"),
              ElementsAre("Accepted: all 2 measurements are within the limits for two. The "
                          "slowest, all_gather of 1M, takes 1.10 times the predicted time."));
}

TEST(Acceptance, NoRowsAreNotAccepted) {
  EXPECT_THAT(acceptance_answers({}, {}, "two"),
              ElementsAre("Not accepted: nothing was measured."));
}

}  // namespace
}  // namespace railyard::hw
