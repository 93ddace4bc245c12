#include "hw/pairs/pair_rounds.hpp"

#include <gtest/gtest.h>

#include <set>

namespace railyard::hw {
namespace {

LiveHosts hosts_with(const std::vector<std::size_t>& ranks) {
  LiveHosts hosts;
  for (std::size_t host = 0; host < ranks.size(); ++host) {
    hosts.names.push_back("h" + std::to_string(host));
    hosts.ranks.push_back(ranks[host]);
    for (std::size_t i = 0; i < ranks[host]; ++i) hosts.of_rank.push_back(host);
  }
  return hosts;
}

TEST(Tournament, HasEveryOrderedPairOnceInRoundsOfDisjointPairs) {
  const std::vector<std::vector<std::size_t>> shapes{
      {1}, {2}, {5}, {1, 1}, {4, 4, 4}, {8, 3}, {1, 2, 3, 4, 5}};
  for (const auto& shape : shapes) {
    const LiveHosts hosts = hosts_with(shape);
    const std::size_t ranks = hosts.of_rank.size();
    SCOPED_TRACE(ranks);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const PairRound& round : tournament(hosts)) {
      EXPECT_FALSE(round.empty());
      std::set<std::uint32_t> busy;
      for (const RankPair& pair : round) {
        EXPECT_TRUE(seen.emplace(pair.source, pair.destination).second);
        EXPECT_TRUE(busy.insert(pair.source).second);
        EXPECT_TRUE(busy.insert(pair.destination).second);
      }
    }
    EXPECT_EQ(seen.size(), ranks * (ranks - 1));
  }
}

TEST(Tournament, PairsOfARoundAreAlikeAndAHostTalksToOneOther) {
  const LiveHosts hosts = hosts_with({4, 4, 4, 4});
  for (const PairRound& round : tournament(hosts)) {
    std::set<std::pair<std::size_t, std::size_t>> meetings;
    std::set<int> shifts;
    bool within = false;
    for (const RankPair& pair : round) {
      const std::size_t from = hosts.of_rank[pair.source];
      const std::size_t to = hosts.of_rank[pair.destination];
      within |= from == to;
      if (from == to) continue;
      meetings.insert(std::minmax(from, to));
      shifts.insert(
          (static_cast<int>(pair.destination % 4) - static_cast<int>(pair.source % 4) + 4) % 4);
    }
    if (within) {
      EXPECT_TRUE(meetings.empty());
      continue;
    }
    EXPECT_EQ(meetings.size(), 2u);  // two disjoint pairs of four hosts
    EXPECT_EQ(shifts.size(), 1u);
    EXPECT_EQ(round.size(), 8u);
  }
}

TEST(Tournament, TakesAsFewRoundsAsThereCanBe) {
  // 8 ranks of a host: 7 rounds, both ways.
  EXPECT_EQ(tournament(hosts_with({8})).size(), 14u);
  // 4 hosts of 4: 3 rounds within hosts, 3 of hosts for each of 4 shifts; both ways.
  EXPECT_EQ(tournament(hosts_with({4, 4, 4, 4})).size(), 2u * (3 + 3 * 4));
  EXPECT_EQ(one_by_one(4).size(), 12u);
}

}  // namespace
}  // namespace railyard::hw
