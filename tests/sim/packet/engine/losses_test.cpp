#include "sim/packet/engine/losses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "sim/packet/links/clocks.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

TEST(Timeouts, AreAllEqualWithoutAFirstOne) {
  NicParameters nic;
  nic.retransmit_timeout = 50_us;
  EXPECT_EQ(timeout_after(nic, 0), 50'000'000);
  EXPECT_EQ(timeout_after(nic, 6), 50'000'000);
  EXPECT_EQ(most_retries(nic), 7);
}

// 10, 20, 40 and then 50 us each, as long as seven times 50 us allow: 70 + 5 * 50 = 320.
TEST(Timeouts, DoubleFromTheFirstOneToTheLongest) {
  NicParameters nic;
  nic.retransmit_timeout = 50_us;
  nic.first_timeout = 10_us;
  const std::vector<std::int64_t> expected = {10, 20, 40, 50, 50};
  for (std::uint32_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(timeout_after(nic, i), expected[i] * 1'000'000) << i;
  EXPECT_EQ(most_retries(nic), 8);
}

// A first time-out that is tiny must not make the count overflow.
TEST(Timeouts, TheCountEnds) {
  NicParameters nic;
  nic.retransmit_timeout = 67_ms;
  nic.first_timeout = Time::nanoseconds(1);
  EXPECT_EQ(most_retries(nic), 31);  // 26 shorter ones take 67.1 ms together
}

// From 400 to 100 Gb/s with equal clocks one packet in four finds room, and the pattern repeats: it
// is never the packet that is requested. The receiver of a NIC with adaptive retransmission
// requests this packet again for ever, and no time-out comes, because the sender always sends. The
// queue pair fails after 12 requests without progress: 1 + 2 + ... + 64 + 5 * 67.1 = 462.5 ms of
// time-outs fit into 7 * 67.1 = 469.8 ms.
TEST(GoBackN, EndsWhereEachRetryLosesTheSamePacket) {
  for (std::int64_t packets = 8; packets < 12; ++packets) {
    Parameters parameters = Star::store_and_forward();
    parameters.switches.lossless = false;
    parameters.switches.buffer = Bytes(packets * Star::kPacket);
    parameters.switches.alpha = 1;
    parameters.nic.first_timeout = 1_ms;
    Star star({400_Gbps, 400_Gbps}, parameters, 1, {.last_receives = 100_Gbps});
    star.send(star.connect(0, 1), Bytes(4000 * Star::kPayload));
    try {
      star.run();
      ADD_FAILURE() << "with " << packets << " packets all have arrived";
    } catch (const InputError& error) {
      const std::string text = core::to_text(error.diagnostics()[0]);
      EXPECT_THAT(text, ::testing::HasSubstr("in spite of 12 retries")) << packets;
    }
    EXPECT_LT(star.engine().now(), 1_ms);
  }
}

TEST(Clocks, DifferByDeviceWithinTheTolerance) {
  const Bandwidth rate = 100_Gbps;
  std::vector<LinkSpec> links;
  for (std::uint32_t device = 0; device < 50; ++device)
    for (int i = 0; i < 2; ++i)
      links.push_back({.from = device, .to = 99, .rate = rate, .latency = 1_us});
  const std::vector<LinkSpec> made = with_clocks(links, 1e-4, 7);
  double least = 1, most = -1;
  for (std::size_t i = 0; i < made.size(); i += 2) {
    EXPECT_EQ(made[i].rate, made[i + 1].rate);  // the ports of a device have one clock
    const double share = static_cast<double>(made[i].rate.bits_per_second()) / 1e11 - 1;
    least = std::min(least, share);
    most = std::max(most, share);
  }
  EXPECT_GE(least, -1e-4);
  EXPECT_LE(most, 1e-4);
  EXPECT_LT(least, -8e-5);
  EXPECT_GT(most, 8e-5);
  EXPECT_EQ(with_clocks(links, 0, 7)[3].rate, rate);
  EXPECT_NE(with_clocks(links, 1e-4, 8)[0].rate, made[0].rate);
}

}  // namespace
}  // namespace railyard::sim::packet
