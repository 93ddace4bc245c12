#include "sim/packet/transport/ibcc.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "core/diagnostic.hpp"
#include "sim/packet/parameter_check.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

constexpr std::int64_t kUs = 1'000'000;

// Each BECN adds 1 to the index: 400 / (1 + 3). 100 us after the first BECN it falls to 2, another
// 100 us later to 1, and after 1 ms it is 0 and the timer has stopped.
TEST(Ibcc, TheRateFallsWithEachNotificationAndRisesWithTheTimer) {
  const IbccParameters parameters{.increase = 1, .limit = 127, .slope = 1, .timer = 100_us};
  Ibcc pair(400e9);
  EXPECT_FALSE(pair.advance(parameters, 10 * kUs));
  for (int i = 0; i < 3; ++i) pair.congestion(parameters, (10 + i) * kUs);
  EXPECT_EQ(pair.rate(parameters), 100e9);
  EXPECT_FALSE(pair.advance(parameters, 109 * kUs));
  EXPECT_TRUE(pair.advance(parameters, 110 * kUs));
  EXPECT_EQ(pair.rate(parameters), 400e9 / 3);
  EXPECT_TRUE(pair.advance(parameters, 210 * kUs));
  EXPECT_EQ(pair.rate(parameters), 200e9);
  EXPECT_TRUE(pair.advance(parameters, 1000 * kUs));
  EXPECT_EQ(pair.rate(parameters), 400e9);
  EXPECT_FALSE(pair.advance(parameters, 2000 * kUs));
}

TEST(Ibcc, TheIndexStopsAtTheEndOfTheTable) {
  const IbccParameters parameters{.increase = 5, .limit = 7, .slope = 1, .timer = 100_us};
  Ibcc pair(400e9);
  pair.congestion(parameters, 0);
  pair.congestion(parameters, 0);
  EXPECT_EQ(pair.rate(parameters), 50e9);
}

Parameters infiniband(Congestion congestion) {
  auto parameters = Star::store_and_forward();
  parameters.transport = Transport::ib;
  parameters.congestion = congestion;
  parameters.switches.credits = 256_KiB;
  parameters.switches.ecn = {.k_min = 64_KiB, .k_max = 64_KiB, .p_max = 1, .reference = 400_Gbps};
  return parameters;
}

std::pair<std::int64_t, std::uint64_t> victim(Congestion congestion) {
  Star star({400_Gbps, 400_Gbps, 400_Gbps, 100_Gbps}, infiniband(congestion));
  star.send(star.connect(0, 3), 4_MiB);
  star.send(star.connect(1, 3), 4_MiB);
  star.send(star.connect(0, 2), 4_MiB);
  star.run();
  return {star.done(2), star.engine().counters().cnps};
}

// Hosts 0 and 1 send 4 MiB each to host 3 at 100 Gb/s, host 0 also 4 MiB to host 2 at 400 Gb/s. The
// buffer of host 0 at the switch fills with what waits for host 3, so without control its packets
// to host 2 follow at the rate of host 0's half of host 3's port: 50 Gb/s as long as both last, 4
// MiB take more than 600 us. With control host 0 sends little to host 3, and its other queue pair
// gets most of its link.
TEST(Ibcc, AVictimOfTheSameNicIsFreed) {
  const auto [without, no_notes] = victim(Congestion::none);
  const auto [with, notes] = victim(Congestion::ibcc);
  EXPECT_EQ(no_notes, 0U);
  EXPECT_GT(notes, 10U);
  EXPECT_GT(without, 500 * kUs);
  EXPECT_LT(with, 250 * kUs);
}

TEST(Ibcc, IsTheControlOfInfiniBandAlone) {
  EXPECT_NO_THROW(check(infiniband(Congestion::ibcc)));
  Parameters roce;
  roce.congestion = Congestion::ibcc;
  EXPECT_THROW(check(roce), InputError);
}

}  // namespace
}  // namespace railyard::sim::packet
