#pragma once

#include <cstdint>
#include <vector>

#include "apps/bench/live_cluster.hpp"

namespace railyard::apps {

struct RankPair {
  std::uint32_t source = 0, destination = 0;
};

/// Pairs that are measured at the same time: no rank is in two of them.
using PairRound = std::vector<RankPair>;

/// Every ordered pair of ranks once, in rounds of disjoint pairs. Within hosts: a round-robin
/// tournament (circle method) of the ranks of each host, all hosts at once. Between hosts: one of
/// the hosts, and in each of its rounds every rank of one host sends to the rank of the other that
/// is `shift` further, for every shift, then back. So the pairs of a round are alike: all within
/// hosts, or all from a rail to the rail `shift` further, with every host talking to one other.
[[nodiscard]] std::vector<PairRound> tournament(const LiveHosts& hosts);

/// Every ordered pair once, each by itself.
[[nodiscard]] std::vector<PairRound> one_by_one(std::uint32_t ranks);

}  // namespace railyard::apps
