#include "sim/maxmin/fluid.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace railyard::sim {
namespace {

using Hops = std::vector<topology::Hop>;

std::vector<StreamId> to_vector(std::span<const StreamId> span) {
  return {span.begin(), span.end()};
}

TEST(Fluid, OneStreamTakesTheNarrowestLink) {
  Fluid fluid({100.0, 40.0});
  const auto s = fluid.add({Hops{{LinkId(0), 1}, {LinkId(1), 1}}, 80});
  EXPECT_DOUBLE_EQ(fluid.rate(s), 40);
  EXPECT_EQ(fluid.bottleneck(s), LinkId(1));
  EXPECT_EQ(to_vector(fluid.advance()), std::vector{s});
  EXPECT_DOUBLE_EQ(fluid.now(), 2);  // 80 B at 40 B/s
}

TEST(Fluid, TwoStreamsOnOneLinkEachGetHalfAndTheLongerSpeedsUp) {
  Fluid fluid({100.0});
  const auto a = fluid.add({Hops{{LinkId(0), 1}}, 100});
  const auto b = fluid.add({Hops{{LinkId(0), 1}}, 300});
  EXPECT_DOUBLE_EQ(fluid.rate(a), 50);
  EXPECT_EQ(to_vector(fluid.advance()), std::vector{a});
  EXPECT_DOUBLE_EQ(fluid.now(), 2);  // 100 B at 50 B/s
  EXPECT_DOUBLE_EQ(fluid.rate(b), 100);
  EXPECT_EQ(to_vector(fluid.advance()), std::vector{b});
  EXPECT_DOUBLE_EQ(fluid.now(), 4);  // 100 B at 50, then 200 at 100
  EXPECT_DOUBLE_EQ(fluid.carried(LinkId(0)), 400);
}

TEST(Fluid, WeightsAreWhatAStreamTakesOfALinkForItsRate) {
  // Streams of weight 2 and 1 on a link of 90: equal rates r with 2r + r = 90.
  Fluid fluid({90.0});
  const auto a = fluid.add({Hops{{LinkId(0), 2}}, 60});
  const auto b = fluid.add({Hops{{LinkId(0), 1}}, 120});
  EXPECT_DOUBLE_EQ(fluid.rate(a), 30);
  EXPECT_DOUBLE_EQ(fluid.rate(b), 30);
  fluid.advance();  // a ends at 2 s
  EXPECT_DOUBLE_EQ(fluid.rate(b), 90);
  fluid.advance();  // 60 left at 90
  EXPECT_NEAR(fluid.now(), 2 + 60.0 / 90, 1e-12);
  EXPECT_DOUBLE_EQ(fluid.carried(LinkId(0)), 2 * 60 + 120);
}

TEST(Fluid, SharesMayDifferFromTheFirstThatCrossedALink) {
  // Shares 0.5 and 2 of a link of 100: 0.5r + 2r = 100, r = 40. The first ends at 1 s (40 B); the
  // second, alone, runs at 50 B/s for its other 60 B. Halving the capacity then gives 25 B/s.
  Fluid fluid({100.0});
  const auto a = fluid.add({Hops{{LinkId(0), 0.5}}, 40});
  const auto b = fluid.add({Hops{{LinkId(0), 2}}, 100});
  EXPECT_DOUBLE_EQ(fluid.rate(a), 40);
  fluid.advance();
  EXPECT_DOUBLE_EQ(fluid.now(), 1);
  EXPECT_DOUBLE_EQ(fluid.rate(b), 50);
  EXPECT_DOUBLE_EQ(fluid.carried(LinkId(0)), 0.5 * 40 + 2 * 40);
  fluid.set_capacity(LinkId(0), 50);
  EXPECT_DOUBLE_EQ(fluid.rate(b), 25);
}

TEST(Fluid, ACapBelowTheFairShareLeavesTheRestToTheOthers) {
  Fluid fluid({100.0});
  const auto capped = fluid.add({Hops{{LinkId(0), 1}}, 10, 20});
  const auto free = fluid.add({Hops{{LinkId(0), 1}}, 1000});
  EXPECT_DOUBLE_EQ(fluid.rate(capped), 20);
  EXPECT_DOUBLE_EQ(fluid.rate(free), 80);
  EXPECT_TRUE(fluid.bottleneck(capped).is_none());
}

TEST(Fluid, ParkingLotGivesTheLongStreamTheTightestShare) {
  // Links of 10 and 20; long crosses both, s0 the first, s1 the second.
  // Level 5 fills link 0 (long, s0); link 1 has 15 left for s1.
  Fluid fluid({10.0, 20.0});
  const auto lng = fluid.add({Hops{{LinkId(0), 1}, {LinkId(1), 1}}, 1000});
  const auto s0 = fluid.add({Hops{{LinkId(0), 1}}, 1000});
  const auto s1 = fluid.add({Hops{{LinkId(1), 1}}, 1000});
  EXPECT_DOUBLE_EQ(fluid.rate(lng), 5);
  EXPECT_DOUBLE_EQ(fluid.rate(s0), 5);
  EXPECT_DOUBLE_EQ(fluid.rate(s1), 15);
}

TEST(Fluid, NothingToSendAndNowhereToGoCompleteAtOnce) {
  Fluid fluid({10.0});
  const auto empty = fluid.add({Hops{{LinkId(0), 1}}, 0});
  const auto local = fluid.add({Hops{}, 5});
  EXPECT_EQ(to_vector(fluid.advance()), (std::vector{empty, local}));
  EXPECT_EQ(fluid.now(), 0);
}

TEST(Fluid, ACutLinkStopsItsStreamUntilItIsReroutedOrMended) {
  Fluid fluid({10.0, 5.0});
  const auto s = fluid.add({Hops{{LinkId(0), 1}}, 100});
  EXPECT_TRUE(fluid.advance(4).empty());  // 40 B sent
  fluid.set_capacity(LinkId(0), 0);
  EXPECT_TRUE(fluid.advance().empty());  // nothing moves
  EXPECT_EQ(fluid.now(), 4);
  EXPECT_TRUE(fluid.advance(6).empty());
  fluid.reroute(s, Hops{{LinkId(1), 1}});
  EXPECT_EQ(to_vector(fluid.advance()), std::vector{s});
  EXPECT_DOUBLE_EQ(fluid.now(), 6 + 60.0 / 5);
  EXPECT_DOUBLE_EQ(fluid.carried(LinkId(0)), 40);
  EXPECT_DOUBLE_EQ(fluid.carried(LinkId(1)), 60);
}

TEST(Fluid, CoalescingEndsNearCompletionsTogetherAndSaysWhatItCutOff) {
  // Alone on their links: 1 s and 1.05 s. A tolerance of 0.1 s makes one event
  // of them, 0.05 s and 5 B before the second would end.
  for (const auto levels : {Shortcut::always, Shortcut::never}) {
    Fluid fluid({100.0, 100.0}, {.coalesce = 0.1, .levels = levels});
    fluid.add({Hops{{LinkId(0), 1}}, 100});
    fluid.add({Hops{{LinkId(1), 1}}, 105});
    EXPECT_EQ(fluid.advance().size(), 2U);
    EXPECT_DOUBLE_EQ(fluid.now(), 1);
    EXPECT_NE(fluid.describe().find("up to 5e+04 us and 5 B early, 5e+04 us over all"),
              std::string::npos)
        << fluid.describe();
  }
}

}  // namespace
}  // namespace railyard::sim
