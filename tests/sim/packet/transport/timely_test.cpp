#include "sim/packet/transport/timely.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;

// 16 packets of 1,000 bytes are a segment of 16 KB. A base round trip of 20 us.
constexpr PathFacts kPath{.line_rate = 10e9, .base_rtt = 20'000'000, .mtu = 1000};

/// A whole segment with this round-trip time.
void segment(Timely& timely, const TimelyParameters& parameters, double rtt_us) {
  EXPECT_TRUE(timely.acknowledged(parameters, {.rtt = std::llround(rtt_us * 1e6), .packets = 16}));
}

TEST(Timely, ARenewalTakesAWholeSegment) {
  const TimelyParameters parameters;
  Timely timely(kPath);
  EXPECT_FALSE(timely.acknowledged(parameters, {.rtt = 1'000'000'000, .packets = 15}));
  EXPECT_DOUBLE_EQ(timely.rate(), 10e9);
  EXPECT_TRUE(timely.acknowledged(parameters, {.rtt = 1'000'000'000, .packets = 1}));
  EXPECT_LT(timely.rate(), 10e9);
}

// 1000 us above the 500 us of `high`: 1 - 0.8 * (1 - 500 / 1000) = 0.6. Below `low` +10 Mb/s.
TEST(Timely, BeyondTheThresholdsTheGradientDoesNotCount) {
  const TimelyParameters parameters;
  Timely timely(kPath);
  segment(timely, parameters, 1000);
  EXPECT_NEAR(timely.rate(), 6e9, 1);
  segment(timely, parameters, 40);
  EXPECT_NEAR(timely.rate(), 6.01e9, 1);
}

// From 60 to 62 us: diff = 0.875 * 2 us, g = 1.75 / 20 = 0.0875, 1 - 0.8 * 0.0875 = 0.93.
TEST(Timely, AGrowingDelayCutsByItsGradient) {
  const TimelyParameters parameters;
  Timely timely(kPath);
  segment(timely, parameters, 1000);                             // to 6 Gb/s
  for (int i = 0; i < 40; ++i) segment(timely, parameters, 60);  // the gradient fades
  const double before = timely.rate();
  segment(timely, parameters, 62);
  EXPECT_NEAR(timely.rate() / before, 0.93, 1e-9);
}

// A falling delay: +10 Mb/s four times, then +50 Mb/s a step.
TEST(Timely, FiveStepsWithoutGrowthRaiseTheIncrease) {
  const TimelyParameters parameters;
  Timely timely(kPath);
  segment(timely, parameters, 1000);
  for (int i = 0; i < 4; ++i) segment(timely, parameters, 400 - i);
  EXPECT_NEAR(timely.rate(), 6.04e9, 1);
  segment(timely, parameters, 390);
  segment(timely, parameters, 389);
  EXPECT_NEAR(timely.rate(), 6.14e9, 1);
}

// Patched: with a steady delay w = 1/2. At the fixed point the two terms cancel: beta / 2 * error *
// rate = additive / 2. At 6 Gb/s, 10 Mb/s and beta 0.008: error = 0.20833, rtt = 120.8333 us.
TEST(Timely, ThePatchHasAFixedPoint) {
  TimelyParameters parameters;
  parameters.patched = true;
  parameters.beta = 0.008;
  Timely timely(kPath);
  TimelyParameters cut = parameters;
  cut.beta = 0.8;
  segment(timely, cut, 1000);
  for (int i = 0; i < 40; ++i) {
    TimelyParameters frozen = parameters;
    frozen.beta = 0;
    frozen.additive_increase = Bandwidth::bits_per_second(0);
    segment(timely, frozen, 100 * (1 + 10e6 / (0.008 * 6e9)));
  }
  ASSERT_NEAR(timely.rate(), 6e9, 1);
  segment(timely, parameters, 100 * (1 + 10e6 / (0.008 * 6e9)));
  EXPECT_NEAR(timely.rate(), 6e9, 1e3);
}

}  // namespace
}  // namespace railyard::sim::packet
