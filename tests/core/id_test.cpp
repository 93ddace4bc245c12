#include "core/id.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace railyard {
namespace {

TEST(Id, DefaultsToNoneWhichIsBehindEveryOther) {
  EXPECT_TRUE(Rank().is_none());
  EXPECT_EQ(Rank(), Rank::none());
  EXPECT_FALSE(Rank(0).is_none());
  EXPECT_LT(Rank(0xfffffffe), Rank::none());
}

TEST(Id, IndexesAndOrdersByValue) {
  EXPECT_EQ(Rank(7).index(), 7u);
  EXPECT_EQ(Rank(std::size_t{7}).value(), 7u);
  EXPECT_LT(Rank(7), Rank(8));
}

TEST(Id, Hashes) {
  const std::unordered_set<LinkId> links{LinkId(1), LinkId(2), LinkId(1)};
  EXPECT_EQ(links.size(), 2u);
}

TEST(Id, KindsDoNotConvert) {
  EXPECT_FALSE((std::is_convertible_v<NodeId, Rank>));
  EXPECT_FALSE((std::is_constructible_v<Rank, NodeId>));
  EXPECT_FALSE((std::is_convertible_v<int, Rank>));
}

}  // namespace
}  // namespace railyard
