#include "sim/packet/transport/dcqcn.hpp"

#include <gtest/gtest.h>

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;

constexpr std::int64_t kMicrosecond = 1'000'000;

// Alpha 1: the first CNP halves the rate. Fast recovery to the old rate: 75, 87.5, 93.75.
TEST(Dcqcn, ACnpHalvesAndTimersRecover) {
  const DcqcnRule rule({}, 100_Gbps);
  Dcqcn rate(100e9);
  rate.congestion(rule, 0);
  EXPECT_DOUBLE_EQ(rate.rate(), 50e9);
  EXPECT_DOUBLE_EQ(rate.alpha(), 1);
  rate.advance(rule, 55 * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.rate(), 75e9);
  EXPECT_DOUBLE_EQ(rate.alpha(), 255.0 / 256);
  rate.advance(rule, 3 * 55 * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.rate(), 93.75e9);
  EXPECT_DOUBLE_EQ(rate.alpha(), 255.0 / 256 * 255 / 256 * 255 / 256);
}

// After five steps of fast recovery the target grows by 40 Mb/s a step.
TEST(Dcqcn, AdditiveIncreaseFollowsFastRecovery) {
  const DcqcnRule rule({}, 100_Gbps);
  Dcqcn rate(100e9);
  rate.congestion(rule, 0);
  rate.advance(rule, kMicrosecond);
  rate.congestion(rule, kMicrosecond);  // target 50, rate 25
  EXPECT_DOUBLE_EQ(rate.rate(), 25e9);
  rate.advance(rule, (1 + 5 * 55) * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.target(), 50e9);
  EXPECT_DOUBLE_EQ(rate.rate(), 50e9 - 25e9 / 32);
  rate.advance(rule, (1 + 6 * 55) * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.target(), 50.04e9);
}

// With both counters behind fast recovery, steps are hyper_increase.
TEST(Dcqcn, HyperIncreaseNeedsTimerAndBytes) {
  const DcqcnRule rule({.byte_counter = Bytes(1000)}, 100_Gbps);
  Dcqcn rate(100e9);
  rate.congestion(rule, 0);
  rate.congestion(rule, 0);
  for (int i = 0; i < 6; ++i) rate.sent(rule, 1000);
  EXPECT_DOUBLE_EQ(rate.target(), 50.04e9);
  rate.advance(rule, 5 * 55 * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.target(), 50.24e9);  // five additive steps: the timer counts up to 5
  rate.advance(rule, 6 * 55 * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.target(), 50.64e9);
}

// With a decrease interval of 4 us, several CNPs in an interval cut once, at its end.
TEST(Dcqcn, ADecreaseIntervalLimitsCuts) {
  const DcqcnRule rule({.alpha_timer = 1_us,
                        .increase_timer = 300_us,
                        .byte_counter = Bytes(0),
                        .fast_recovery = 1,
                        .decrease_interval = 4_us,
                        .clamp_target = false},
                       100_Gbps);
  Dcqcn rate(100e9);
  rate.congestion(rule, 0);
  rate.advance(rule, 2 * kMicrosecond);
  rate.congestion(rule, 2 * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.rate(), 100e9);
  // Alpha is updated each us: with a CNP in the first and the third, without in the others.
  constexpr double kKeep = 255.0 / 256, kAdd = 1.0 / 256;
  const double alpha = (kKeep * kKeep + kAdd) * kKeep;
  rate.advance(rule, 4 * kMicrosecond + 1);
  EXPECT_DOUBLE_EQ(rate.rate(), 100e9 * (1 - alpha / 2));
  rate.advance(rule, 9 * kMicrosecond);
  EXPECT_DOUBLE_EQ(rate.rate(), 100e9 * (1 - alpha / 2));
}

}  // namespace
}  // namespace railyard::sim::packet
