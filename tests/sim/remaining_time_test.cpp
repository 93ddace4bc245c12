#include "sim/remaining_time.hpp"

#include <gtest/gtest.h>

namespace railyard::sim {
namespace {

using Phase = RunProgress::Phase;

// Seconds up to a minute and a half, minutes up to one and a half hours.
TEST(RemainingTime, TheUnitGrowsWithTheTime) {
  EXPECT_EQ(remaining_text(0.4), "0 s");
  EXPECT_EQ(remaining_text(89), "89 s");
  EXPECT_EQ(remaining_text(300), "5 min");
  EXPECT_EQ(remaining_text(9000), "2.5 h");
}

TEST(RemainingTime, ThePhaseAndWhatItStillTakesArePrinted) {
  EXPECT_EQ(progress_text({Phase::paths, 0.125, {}}, 3),
            "finding paths: 12 %, about 3 s left, then the transfers");
  EXPECT_EQ(progress_text({Phase::transfers, 0.5, Time::microseconds(7)}, {}),
            "50 % of the traffic delivered after 7.0 us");
}

// A tenth was done when the phase was first seen at 100 s. At 104 s it is three tenths: 0.2 took 4
// s, so that the other 0.7 take 14 s. Nothing is known before a hundredth was seen.
TEST(RemainingTime, IsEstimatedFromWhatWasSeenOfThePhase) {
  RemainingEstimate estimate;
  EXPECT_FALSE(estimate.after({Phase::paths, 0.5, {}}, 50));
  EXPECT_FALSE(estimate.after({Phase::transfers, 0.1, {}}, 100));
  EXPECT_FALSE(estimate.after({Phase::transfers, 0.105, {}}, 101));
  EXPECT_NEAR(estimate.after({Phase::transfers, 0.3, {}}, 104).value(), 14, 1e-9);
  // The run begins again at 0.05: from there 0.05 takes 1 s, and 0.9 are left.
  EXPECT_FALSE(estimate.after({Phase::transfers, 0.05, {}}, 110));
  EXPECT_NEAR(estimate.after({Phase::transfers, 0.1, {}}, 111).value(), 18, 1e-9);
}

}  // namespace
}  // namespace railyard::sim
