#include "sim/maxmin/redundant_links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/maxmin/fluid.hpp"

namespace railyard::sim {
namespace {

using Hops = std::vector<topology::Hop>;
using ::testing::ElementsAre;
constexpr LinkIndex kNoCaps = ~LinkIndex{0};

topology::Hop hop(std::uint32_t link, double share = 1) { return {LinkId(link), share}; }

struct Streams {
  Streams(std::vector<double> capacities, const std::vector<Hops>& ways)
      : table(std::move(capacities)) {
    for (const Hops& way : ways) table.insert(way);
    table.link_pending();
  }
  std::vector<int> redundant() const {
    const RedundantLinks links(table);
    return {links.mask().begin(), links.mask().end()};
  }
  FlowTable table;
};

TEST(RedundantLinks, ABusBehindANarrowerPortIsSpare) {
  // Bus 0 (100) feeds port 1 (40); another stream enters the port by link 2 (60).
  const Streams streams({100, 40, 60}, {{hop(0), hop(1)}, {hop(2), hop(1)}});
  EXPECT_THAT(streams.redundant(), ElementsAre(1, 0, 1));
}

TEST(RedundantLinks, ALinkAsWideAsAllThatFeedsItIsSpare) {
  // Three ports of 40 feed links of 120 and of 119.
  const Streams wide({40, 40, 40, 121}, {{hop(0), hop(3)}, {hop(1), hop(3)}, {hop(2), hop(3)}});
  EXPECT_THAT(wide.redundant(), ElementsAre(0, 0, 0, 1));
  const Streams equal({40, 40, 40, 120}, {{hop(0), hop(3)}, {hop(1), hop(3)}, {hop(2), hop(3)}});
  EXPECT_THAT(equal.redundant(), ElementsAre(0, 0, 0, 1));
  const Streams narrow({40, 40, 40, 119}, {{hop(0), hop(3)}, {hop(1), hop(3)}, {hop(2), hop(3)}});
  EXPECT_THAT(narrow.redundant(), ElementsAre(0, 0, 0, 0));
  // Several streams of a port count once.
  const Streams shared({40, 40, 80}, {{hop(0), hop(2)}, {hop(0), hop(2)}, {hop(1), hop(2)}});
  EXPECT_THAT(shared.redundant(), ElementsAre(0, 0, 1));
}

TEST(RedundantLinks, OfEqualLinksThoseWithLargerNumbersAre) {
  const Streams streams({50, 50, 50}, {{hop(2), hop(1), hop(0)}});
  EXPECT_THAT(streams.redundant(), ElementsAre(0, 1, 1));
}

TEST(RedundantLinks, WeightsCountAgainstCapacity) {
  // 3 r <= 100 binds at r = 33, r <= 40 later: link 0 is the tighter one although it is the wider.
  const Streams streams({100, 40}, {{hop(0, 3), hop(1, 1)}});
  EXPECT_THAT(streams.redundant(), ElementsAre(0, 1));
}

TEST(RedundantLinks, TheNarrowestLinksOfTheWaysAreTriedToo) {
  // Links 3 and 4 (10 each) lie two hops before link 0 (30); 1 and 2 (25 each) are next to it: 25 +
  // 25 is too much, 10 + 10 is not. Links 1 and 2 are then behind 3 and 4.
  const Streams streams({30, 25, 25, 10, 10}, {{hop(3), hop(1), hop(0)}, {hop(4), hop(2), hop(0)}});
  EXPECT_THAT(streams.redundant(), ElementsAre(1, 1, 1, 0, 0));
}

TEST(RedundantLinks, OnLongWaysTheNeighboursAreTried) {
  // Every other link of a way of 300 is 100 wide, the others 40: all of the first are redundant by
  // their neighbours, and of the equal ones all but the first by the one before. Another stream on
  // the same way is covered, one that only has the last link is not.
  std::vector<double> capacities;
  Hops way;
  for (std::uint32_t i = 0; i < 300; ++i) {
    capacities.push_back(i % 2 == 0 ? 40 : 100);
    way.push_back(hop(i));
  }
  Streams streams(capacities, {way});
  const RedundantLinks links(streams.table);
  EXPECT_EQ(links.count(), 299U);
  EXPECT_FALSE(links.is_redundant(0));
  EXPECT_TRUE(links.covers(streams.table, streams.table.insert(way), kNoCaps));
  EXPECT_FALSE(links.covers(streams.table, streams.table.insert(Hops{hop(299)}), kNoCaps));
}

TEST(RedundantLinks, AnotherStreamIsCoveredWhereItComesByAFeeder) {
  Streams streams({40, 40, 40, 85}, {{hop(0), hop(3)}, {hop(1), hop(3)}});
  const RedundantLinks links(streams.table);
  EXPECT_TRUE(links.is_redundant(3));
  const Slot by_feeder = streams.table.insert(Hops{hop(1), hop(3)});
  const Slot by_other = streams.table.insert(Hops{hop(2), hop(3)});
  const Slot apart = streams.table.insert(Hops{hop(2)});
  EXPECT_TRUE(links.covers(streams.table, by_feeder, kNoCaps));
  EXPECT_FALSE(links.covers(streams.table, by_feeder, 1));  // a cap is no feeder of others
  EXPECT_FALSE(links.covers(streams.table, by_other, kNoCaps));
  EXPECT_TRUE(links.covers(streams.table, apart, kNoCaps));
}

TEST(RedundantLinks, ProofsHoldWhileFeedersGetNarrowerAndTheSpareLinkStaysWideEnough) {
  const Streams streams({40, 40, 85}, {{hop(0), hop(2)}, {hop(1), hop(2)}});
  const RedundantLinks links(streams.table);
  EXPECT_TRUE(links.allows(0, 40, 30));
  EXPECT_FALSE(links.allows(0, 40, 41));
  EXPECT_TRUE(links.allows(2, 85, 80));
  EXPECT_FALSE(links.allows(2, 85, 79));
}

TEST(RedundantLinks, CapsThatAddUpToLessThanTheLinkAreABound) {
  // Ten streams of cap 9 on a link of 100: it is left out, carries its bytes all the same, and an
  // eleventh and twelfth bring it back: 12 * 9 > 100, each gets 100 / 12.
  Fluid fluid({100.0}, {.certify = true, .pruning = Shortcut::always});
  for (int i = 0; i < 10; ++i) fluid.add({Hops{hop(0)}, 90.0 + i, 9});
  const auto first = fluid.add({Hops{hop(0)}, 1e6, 9});
  EXPECT_DOUBLE_EQ(fluid.rate(first), 9);
  EXPECT_NE(fluid.describe().find("without links that cannot fill (1 in all)"), std::string::npos)
      << fluid.describe();
  fluid.add({Hops{hop(0)}, 1e6, 9});
  EXPECT_DOUBLE_EQ(fluid.rate(first), 100.0 / 12);
  fluid.advance(3);
  EXPECT_NEAR(fluid.carried(LinkId(0)), 300, 1e-9);
}

}  // namespace
}  // namespace railyard::sim
