#include "sim/maxmin/never_full.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace railyard::sim {
namespace {

using Hops = std::vector<topology::Hop>;

topology::Hop hop(std::uint32_t link, double share = 1) { return {LinkId(link), share}; }

TEST(NeverFull, AWiderLinkWhoseStreamsAllGoOnToANarrowerOneIsGuardedByIt) {
  // Bus 0 (100) feeds port 1 (40); stream b enters the port from elsewhere.
  FlowTable table({100.0, 40.0, 60.0});
  table.insert(Hops{hop(0), hop(1)});
  table.insert(Hops{hop(2), hop(1)});
  EXPECT_EQ(never_full(table), (std::vector<LinkIndex>{1, kUnheld, 1}));
}

TEST(NeverFull, AStreamThatGoesElsewhereEndsTheGuard) {
  FlowTable table({100.0, 40.0, 60.0});
  table.insert(Hops{hop(0), hop(1)});
  table.insert(Hops{hop(0), hop(2)});
  // Link 0 splits. Links 1 and 2 are narrower than 0, so 0 does not guard them.
  EXPECT_EQ(never_full(table), (std::vector<LinkIndex>{kUnheld, kUnheld, kUnheld}));
}

TEST(NeverFull, EqualLinksAreGuardedByTheSmallerNumberAndNeverByEachOther) {
  FlowTable table({50.0, 50.0, 50.0});
  table.insert(Hops{hop(2), hop(1), hop(0)});
  EXPECT_EQ(never_full(table), (std::vector<LinkIndex>{kUnheld, 0, 1}));
}

TEST(NeverFull, WeightsCountAgainstCapacity) {
  // 3 r <= 100 binds at r = 33, r <= 40 later: link 0 is the tighter one although it is the wider.
  FlowTable table({100.0, 40.0});
  const Slot slot = table.insert(Hops{hop(0, 3), hop(1, 1)});
  EXPECT_EQ(never_full(table), (std::vector<LinkIndex>{kUnheld, 0}));
  EXPECT_TRUE(guards(table, 0, slot, 1));
  EXPECT_FALSE(guards(table, 1, slot, 0));
}

TEST(NeverFull, LinksThatNobodyCrossesHaveNoGuard) {
  EXPECT_EQ(never_full(FlowTable({10.0, 20.0})), (std::vector<LinkIndex>{kUnheld, kUnheld}));
}

}  // namespace
}  // namespace railyard::sim
