#include "sim/packet/run/victims.hpp"

#include <gtest/gtest.h>

#include "sim/packet/links/links.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;

// Links 0 to 2 lead to link 3, whose queue of 50 us paused link 2 for 40 us, and that one link 1
// for 30 us. Connection 1 leaves link 1 by link 4, which is empty: it waits for link 3 all the
// same. Connection 2 meets nobody.
TEST(Victims, WaitForTheQueueAtTheEndOfThePauses) {
  const std::vector<std::vector<std::uint32_t>> routes{{1, 2, 3}, {0, 1, 4}, {5}};
  std::vector<PortWait> ports(6);
  ports[1] = {.queued = 1_us, .paused = 30_us};
  ports[2] = {.queued = 2_us, .paused = 40_us};
  ports[3] = {.queued = 50_us, .paused = Time()};
  const std::vector<Wait> waits = find_waits(routes, ports);
  EXPECT_EQ(waits[0].port, 3U);
  EXPECT_EQ(waits[0].cause, 3U);
  EXPECT_EQ(waits[1].port, 1U);
  EXPECT_EQ(waits[1].cause, 3U);
  EXPECT_EQ(waits[1].connections, 1U);
  EXPECT_EQ(waits[2].port, kNone);
  EXPECT_EQ(waits[2].cause, kNone);
}

// Of the ports behind a paused one, the one with the longest wait paused it.
TEST(Victims, TheLongestWaitBehindAPausedPortIsItsCause) {
  const std::vector<std::vector<std::uint32_t>> routes{{0, 1}, {0, 2}, {3, 2}};
  const std::vector<PortWait> ports{{.queued = Time(), .paused = 100_us},
                                    {.queued = 5_us, .paused = Time()},
                                    {.queued = 7_us, .paused = Time()},
                                    {}};
  const std::vector<Wait> waits = find_waits(routes, ports);
  EXPECT_EQ(waits[0].cause, 2U);
  EXPECT_EQ(waits[0].connections, 2U);
  EXPECT_EQ(waits[2].port, 2U);
}

// Pauses that wait for each other in a circle have no root, and end where they began.
TEST(Victims, ACircleOfPausesEnds) {
  const std::vector<std::vector<std::uint32_t>> routes{{0, 1}, {1, 0}};
  const std::vector<PortWait> ports{{.queued = Time(), .paused = 2_us},
                                    {.queued = Time(), .paused = 1_us}};
  EXPECT_EQ(find_waits(routes, ports)[0].cause, 0U);
}

}  // namespace
}  // namespace railyard::sim::packet
