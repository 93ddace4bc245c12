#include "sim/packet/transport/swift.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;
// 100 Gb/s * 4 us = 50,000 bytes: 12.5 packets of 4,000.
constexpr PathFacts kPath{.line_rate = 100e9, .base_rtt = 4 * kMicrosecond, .mtu = 4000};

Feedback feedback(double now_us, double rtt_us, std::uint32_t packets = 1) {
  return {.now = std::llround(now_us * 1e6), .rtt = std::llround(rtt_us * 1e6), .packets = packets};
}

// 4 us, 2 us of queueing and 10 us / (1 / sqrt(0.1) - 1 / sqrt(100)) * (1 / sqrt(w) - 0.1).
double target_us(double window) {
  return 6 + 10 / (1 / std::sqrt(0.1) - 0.1) * (1 / std::sqrt(window) - 0.1);
}

TEST(Swift, TheTargetGrowsAsTheWindowShrinks) {
  const SwiftParameters parameters;
  const Swift swift(parameters, kPath);
  EXPECT_DOUBLE_EQ(swift.window(), 12.5);
  EXPECT_NEAR(swift.target() / 1e6, target_us(12.5), 1e-9);
}

// Twice the target: 1 - 0.8 * (1 / 2) = 0.6. Not again within that round trip.
TEST(Swift, ADelayOfTwiceTheTargetTakesFortyPercentOncePerRoundTrip) {
  const SwiftParameters parameters;
  Swift swift(parameters, kPath);
  const double delay = 2 * target_us(12.5);
  swift.acknowledged(parameters, feedback(20, delay));
  EXPECT_NEAR(swift.window(), 7.5, 1e-5);
  swift.acknowledged(parameters, feedback(20 + 0.9 * delay, 40));
  EXPECT_NEAR(swift.window(), 7.5, 1e-5);
  // 40 us: the largest decrease is one half.
  swift.acknowledged(parameters, feedback(60 + delay, 1000));
  EXPECT_NEAR(swift.window(), 3.75, 1e-5);
}

// Below the target the acknowledgements of a window add one packet.
TEST(Swift, AWindowOfAcknowledgementsAddsOnePacket) {
  const SwiftParameters parameters;
  Swift swift(parameters, kPath);
  swift.acknowledged(parameters, feedback(20, 5, 5));
  EXPECT_NEAR(swift.window(), 12.5 + 5 / 12.5, 1e-9);
}

// Below one packet the window is a gap of rtt / w.
TEST(Swift, AWindowBelowOnePacketIsAGap) {
  const SwiftParameters parameters;
  Swift swift(parameters, kPath);
  for (int i = 1; i <= 5; ++i) swift.acknowledged(parameters, feedback(1e6 * i, 1000));
  EXPECT_NEAR(swift.window(), 12.5 / 32, 1e-9);
  EXPECT_NEAR(static_cast<double>(swift.gap()), 1e9 * 32 / 12.5, 1);
  swift.acknowledged(parameters, feedback(6e6, 5));
  EXPECT_NEAR(swift.window(), 12.5 / 32 + 1, 1e-9);
  EXPECT_EQ(swift.gap(), 0);
}

TEST(Swift, ALossTakesTheLargestDecreaseOncePerRoundTrip) {
  const SwiftParameters parameters;
  Swift swift(parameters, kPath);
  swift.lost(parameters, 10 * kMicrosecond);
  swift.lost(parameters, 11 * kMicrosecond);
  EXPECT_DOUBLE_EQ(swift.window(), 6.25);
}

}  // namespace
}  // namespace railyard::sim::packet
