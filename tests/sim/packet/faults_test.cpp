#include <gtest/gtest.h>

#include "tests/sim/packet/star.hpp"
#include "tests/sim/packet/two_spines.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;
using testing::TwoSpines;

/// t: a packet, L: a latency. The link from the leaf of host 0 to spine 0 carries packet n from
/// (n + 1) t + L on. The fault comes in the middle of packet 19.
constexpr std::int64_t t = Star::kTime, L = Star::kLatency;
constexpr std::uint32_t kLink = 12;
constexpr std::int64_t kFault = 20 * t + L + t / 2;

Parameters parameters() {
  auto made = Star::store_and_forward();
  made.nic.retransmit_timeout = 100_us;
  return made;
}

// Packets 0 to 19 are on the wire and arrive; the 80 behind them are lost. Nobody acknowledges, so
// the timer sends all again 100 us after the first one, and by then over the other spine.
TEST(LinkFaults, AFailedLinkLosesWhatComesUntilRoutingAvoidsIt) {
  TwoSpines spines(parameters());
  const std::uint32_t pair = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), Bandwidth());
  spines.engine().reroute({.pair = pair,
                           .first_route = spines.route(0, 4, 1),
                           .back = spines.route(4, 0, 1),
                           .at = Time::picoseconds(kFault) + 50_us});
  EXPECT_EQ(spines.run(), 100'000'000 + 103 * t + 4 * L);
  EXPECT_EQ(spines.engine().counters().lost, 80U);
  EXPECT_EQ(spines.engine().counters().timeouts, 1U);
}

// Packet 20 is at the leaf at 21t + L; it and the 79 behind it take 4t each there.
TEST(LinkFaults, ADegradedLinkIsSlowerFromThenOn) {
  TwoSpines spines(parameters());
  std::ignore = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), 100_Gbps);
  EXPECT_EQ(spines.run(), 21 * t + L + 80 * 4 * t + L + 2 * (t + L));
  EXPECT_EQ(spines.engine().counters().lost, 0U);
}

}  // namespace
}  // namespace railyard::sim::packet
