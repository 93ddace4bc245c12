#include "sim/packet/transport/hpcc.hpp"

#include <gtest/gtest.h>

#include <array>

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;

constexpr std::int64_t kMicrosecond = 1'000'000;
// 100 Gb/s and T = 4 us: W = 50,000 bytes. W_AI = 50,000 * 0.05 / 100 = 25 bytes.
constexpr PathFacts kPath{.line_rate = 100e9, .base_rtt = 4 * kMicrosecond, .switches = 1};

class HpccOfOnePort : public ::testing::Test {
 protected:
  /// An acknowledgement whose packet left the port `microseconds` after the one before, which sent
  /// `bytes` in between and has `queued` bytes.
  void acknowledge(std::int64_t microseconds, std::uint64_t bytes, std::uint32_t queued,
                   std::uint32_t sequence, std::uint32_t next) {
    record_.time += microseconds * kMicrosecond;
    record_.sent += bytes;
    record_.queued = queued;
    record_.rate = 100e9;
    hpcc_.acknowledged(parameters_,
                       {.sequence = sequence, .next_packet = next, .hops = {&record_, 1}}, before_);
  }

  HpccParameters parameters_;
  Hpcc hpcc_{parameters_, kPath};
  HopRecord record_;
  std::array<HopRecord, 1> before_;
};

TEST_F(HpccOfOnePort, ItBeginsWithABandwidthDelayProductAtLineRate) {
  EXPECT_DOUBLE_EQ(hpcc_.window(), 50'000);
  EXPECT_DOUBLE_EQ(hpcc_.rate(), 100e9);
  acknowledge(0, 0, 90'000, 1, 50);  // the first one has nothing to compare with
  EXPECT_DOUBLE_EQ(hpcc_.window(), 50'000);
}

// u = 25,000 / 50,000 + 12,500 B in 1 us / 100 Gb/s = 1.5. U = 1 + (1 / 4) (1.5 - 1) = 1.125.
// W = 50,000 * 0.95 / 1.125 + 25.
TEST_F(HpccOfOnePort, AQueueAndAFullLinkShrinkTheWindow) {
  acknowledge(0, 0, 25'000, 1, 50);
  acknowledge(1, 12'500, 30'000, 51, 80);  // the smaller of both queues counts
  EXPECT_DOUBLE_EQ(hpcc_.utilisation(), 1.125);
  EXPECT_NEAR(hpcc_.window(), 50'000 * 0.95 / 1.125 + 25, 1e-6);
  EXPECT_NEAR(hpcc_.rate(), hpcc_.window() * 8 / 4e-6, 1);
}

// Acknowledgements of the same round trip start from the same reference: U = 1.125 + (1 / 4) (1.6 -
// 1.125) = 1.24375 applies to 50,000 again, not to what the one before left.
TEST_F(HpccOfOnePort, AcknowledgementsOfARoundTripDoNotMultiply) {
  acknowledge(0, 0, 25'000, 1, 50);
  acknowledge(1, 12'500, 25'000, 10, 60);
  acknowledge(1, 12'500, 30'000, 20, 70);
  EXPECT_NEAR(hpcc_.utilisation(), 1.125 + 0.25 * (1.5 - 1.125), 1e-12);
  EXPECT_NEAR(hpcc_.window(), 50'000 * 0.95 / hpcc_.utilisation() + 25, 1e-6);
}

// Half a load: U = 0.5 after a whole T. Five additive steps, one a round trip, then W = Wc * 0.95 /
// 0.5 + 25, here limited to 50,000.
TEST_F(HpccOfOnePort, AnEmptyLinkIsProbedByAdditiveStepsFirst) {
  acknowledge(0, 0, 0, 1, 50);
  acknowledge(4, 100'000, 0, 51, 100);  // u = 2: halves the window
  const double low = 50'000 * 0.95 / 2 + 25;
  ASSERT_NEAR(hpcc_.window(), low, 1e-6);
  std::uint32_t next = 100;
  for (int step = 1; step <= 5; ++step, next += 50) {
    acknowledge(4, 25'000, 0, next + 1, next + 50);
    EXPECT_NEAR(hpcc_.window(), low + 25 * step, 1e-6);
  }
  acknowledge(4, 25'000, 0, next + 1, next + 50);
  EXPECT_NEAR(hpcc_.window(), (low + 125) * 0.95 / 0.5 + 25, 1e-6);
}

}  // namespace
}  // namespace railyard::sim::packet
