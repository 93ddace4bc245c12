#include "topology/cluster/rank_list.hpp"

#include <gtest/gtest.h>

namespace railyard::topology {
namespace {

std::vector<std::uint32_t> numbers(std::string_view text) {
  const auto ranks = parse_ranks(text, 100);
  std::vector<std::uint32_t> values;
  for (const Rank rank : ranks.value.value_or(std::vector<Rank>{})) values.push_back(rank.value());
  return values;
}

TEST(RankList, RangesStridesAndSingleRanksInTheOrderWritten) {
  EXPECT_EQ(numbers("3"), (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(numbers("8-10,2,0-1"), (std::vector<std::uint32_t>{8, 9, 10, 2, 0, 1}));
  EXPECT_EQ(numbers("1-20:8"), (std::vector<std::uint32_t>{1, 9, 17}));
}

TEST(RankList, WhatIsNoListIsRefused) {
  for (const char* text : {"", "a", "3-1", "1-", "-1", "1,,2", "0-8:0", "1-2-3", "1 2"}) {
    EXPECT_NE(parse_ranks(text, 100).error.find("is not a list of ranks"), std::string::npos)
        << text;
  }
}

TEST(RankList, ARankBeyondTheClusterIsNamedBeforeARangeIsFilled) {
  EXPECT_EQ(parse_ranks("0-99999999999", 100).error,
            "rank 99999999999 does not exist; the cluster has ranks 0 to 99");
}

}  // namespace
}  // namespace railyard::topology
