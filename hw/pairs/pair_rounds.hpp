#pragma once

#include <cstdint>
#include <vector>

#include "hw/live_cluster.hpp"

namespace railyard::hw {

struct RankPair {
  std::uint32_t source = 0, destination = 0;
};

/// Pairs that are measured concurrently: no rank is in two of them.
using PairRound = std::vector<RankPair>;

/// Every ordered pair of ranks once, in rounds of disjoint pairs. Within hosts: a round-robin
/// tournament (circle method) of the ranks of each host, all hosts concurrently. Between hosts: a
/// tournament of the hosts; in each of its rounds, for every shift, each rank of one host sends to
/// the rank with number + shift of the other, then back. So the pairs of a round are comparable:
/// all within hosts, or all from one rail to the same other rail.
[[nodiscard]] std::vector<PairRound> tournament(const LiveHosts& hosts);

/// Every ordered pair once, one pair per round.
[[nodiscard]] std::vector<PairRound> one_by_one(std::uint32_t ranks);

}  // namespace railyard::hw
