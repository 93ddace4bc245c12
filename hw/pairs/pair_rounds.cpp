#include "hw/pairs/pair_rounds.hpp"

#include <algorithm>
#include <utility>

namespace railyard::hw {
namespace {

using Ranks = std::vector<std::uint32_t>;
using Meeting = std::pair<std::size_t, std::size_t>;

/// Rounds in which each of `players` meets every other once (circle method: one stays, the others
/// rotate); with an odd number one of them rests in each round.
std::vector<std::vector<Meeting>> meetings(std::size_t players) {
  const std::size_t seats = players + players % 2;
  std::vector<std::vector<Meeting>> rounds;
  for (std::size_t round = 0; round + 1 < seats; ++round) {
    std::vector<Meeting>& met = rounds.emplace_back();
    const std::size_t circle = seats - 1;
    for (std::size_t k = 0; k < seats / 2; ++k) {
      const std::size_t one = k == 0 ? circle : (round + k) % circle;
      const std::size_t other = (round + circle - k) % circle;
      if (one < players && other < players) met.emplace_back(one, other);
    }
  }
  return rounds;
}

/// Adds a round, and the same round in the other direction.
void add_both_ways(PairRound there, std::vector<PairRound>& rounds) {
  if (there.empty()) return;
  PairRound back = there;
  for (RankPair& pair : back) std::swap(pair.source, pair.destination);
  rounds.push_back(std::move(there));
  rounds.push_back(std::move(back));
}

void add_within_hosts(const std::vector<Ranks>& hosts, std::size_t most,
                      std::vector<PairRound>& rounds) {
  for (const std::vector<Meeting>& met : meetings(most)) {
    PairRound round;
    for (const Ranks& ranks : hosts) {
      for (const auto& [one, other] : met) {
        if (one < ranks.size() && other < ranks.size()) round.push_back({ranks[one], ranks[other]});
      }
    }
    add_both_ways(std::move(round), rounds);
  }
}

void add_between_hosts(const std::vector<Ranks>& hosts, std::size_t most,
                       std::vector<PairRound>& rounds) {
  for (const std::vector<Meeting>& met : meetings(hosts.size())) {
    for (std::size_t shift = 0; shift < most; ++shift) {
      PairRound round;
      for (const auto& [one, other] : met) {
        for (std::size_t i = 0; i < hosts[one].size(); ++i) {
          const std::size_t j = (i + shift) % most;
          if (j < hosts[other].size()) round.push_back({hosts[one][i], hosts[other][j]});
        }
      }
      add_both_ways(std::move(round), rounds);
    }
  }
}

}  // namespace

std::vector<PairRound> tournament(const LiveHosts& hosts) {
  std::vector<Ranks> members(hosts.names.size());
  for (std::uint32_t rank = 0; rank < hosts.of_rank.size(); ++rank)
    members[hosts.of_rank[rank]].push_back(rank);
  std::size_t most = 0;
  for (const Ranks& ranks : members) most = std::max(most, ranks.size());
  std::vector<PairRound> rounds;
  add_within_hosts(members, most, rounds);
  add_between_hosts(members, most, rounds);
  return rounds;
}

std::vector<PairRound> one_by_one(std::uint32_t ranks) {
  std::vector<PairRound> rounds;
  for (std::uint32_t source = 0; source < ranks; ++source) {
    for (std::uint32_t destination = 0; destination < ranks; ++destination) {
      if (source != destination) rounds.push_back({{source, destination}});
    }
  }
  return rounds;
}

}  // namespace railyard::hw
