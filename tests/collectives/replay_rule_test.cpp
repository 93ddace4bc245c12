#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::list_transfers;
using testing::Listed;
using testing::make_cluster;
using testing::make_request;

using Slot = std::pair<Participant, std::uint64_t>;

/// Replays one channel as an executor may that knows nothing but the replay rule: any transfer
/// whose source chunks have got all that was sent into them earlier may start next (it reads then),
/// and messages arrive in any order, but for those into one chunk. Values are contributions of 4
/// bits per rank.
class LooseReplay {
 public:
  LooseReplay(const Schedule& schedule, std::size_t channel, std::uint64_t seed) : random_(seed) {
    for (const Listed& listed : list_transfers(schedule)) {
      if (listed.channel == channel) transfers_.push_back(listed);
    }
    pieces_ = schedule.channels()[channel].chunks_per_block;
    const std::uint32_t n = schedule.group().size();
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      for (std::uint64_t chunk = 0; chunk < schedule.blocks() * pieces_; ++chunk) {
        if (starts_with(schedule.collective(), n, rank, chunk / pieces_))
          held_[{rank, chunk}] = std::uint64_t{1} << (4 * rank);
      }
    }
  }

  std::map<Slot, std::uint64_t> run() {
    find_needs();
    std::vector<std::size_t> waiting(transfers_.size());
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i] = i;
    std::vector<std::pair<std::size_t, std::vector<std::uint64_t>>> flying;
    while (!waiting.empty() || !flying.empty()) {
      std::vector<std::size_t> ready;
      for (std::size_t w = 0; w < waiting.size(); ++w) {
        if (has_arrived(needs_[waiting[w]])) ready.push_back(w);
      }
      std::vector<std::size_t> landing;
      for (std::size_t f = 0; f < flying.size(); ++f) {
        if (has_arrived(writes_before_[flying[f].first])) landing.push_back(f);
      }
      const std::size_t choice = random_() % (ready.size() + landing.size());
      if (choice < ready.size()) {
        const std::size_t w = ready[choice];
        flying.emplace_back(waiting[w], read(transfers_[waiting[w]].transfer));
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(w));
      } else {
        const auto at =
            flying.begin() + static_cast<std::ptrdiff_t>(landing[choice - ready.size()]);
        arrive(*at);
        flying.erase(at);
      }
    }
    return held_;
  }

 private:
  static bool starts_with(const Collective& asked, std::uint32_t n, std::uint32_t rank,
                          std::uint64_t block) {
    if (asked.kind == Kind::broadcast) return rank == asked.root;
    if (asked.kind == Kind::all_gather || asked.kind == Kind::send_recv) return rank == block;
    return asked.kind != Kind::all_to_all || rank == block / n;
  }

  [[nodiscard]] bool has_arrived(const std::vector<std::size_t>& transfers) const {
    return std::all_of(transfers.begin(), transfers.end(),
                       [&](std::size_t i) { return arrived_[i]; });
  }

  /// What each transfer waits for: to start, transfers of earlier steps into its source's chunks;
  /// to land, those into its destination's.
  void find_needs() {
    std::map<Slot, std::vector<std::size_t>> into;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      const auto stage = [&](std::size_t at) {
        return std::tuple(transfers_[at].loop, transfers_[at].iteration, transfers_[at].step);
      };
      for (; stage(begin) != stage(i); ++begin) {
        const Transfer& before = transfers_[begin].transfer;
        for (std::uint64_t c = 0; c < before.chunk_count; ++c)
          into[{before.destination, before.first_chunk + c}].push_back(begin);
      }
      const Transfer& now = transfers_[i].transfer;
      const auto into_chunks_of = [&](Participant who) {
        std::vector<std::size_t> found;
        for (std::uint64_t c = 0; c < now.chunk_count; ++c) {
          const auto& of_chunk = into[{who, now.first_chunk + c}];
          found.insert(found.end(), of_chunk.begin(), of_chunk.end());
        }
        return found;
      };
      needs_.push_back(into_chunks_of(now.source));
      writes_before_.push_back(into_chunks_of(now.destination));
    }
    arrived_.assign(transfers_.size(), false);
  }

  std::vector<std::uint64_t> read(const Transfer& transfer) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t c = 0; c < transfer.chunk_count; ++c)
      values.push_back(held_[{transfer.source, transfer.first_chunk + c}]);
    return values;
  }

  void arrive(const std::pair<std::size_t, std::vector<std::uint64_t>>& message) {
    const Transfer& transfer = transfers_[message.first].transfer;
    for (std::uint64_t c = 0; c < transfer.chunk_count; ++c) {
      std::uint64_t& slot = held_[{transfer.destination, transfer.first_chunk + c}];
      slot = message.second[c] + (transfer.action == Action::reduce ? slot : 0);
    }
    arrived_[message.first] = true;
  }

  std::mt19937_64 random_;
  std::vector<Listed> transfers_;
  std::uint64_t pieces_ = 1;
  std::map<Slot, std::uint64_t> held_;
  std::vector<std::vector<std::size_t>> needs_, writes_before_;
  std::vector<bool> arrived_;
};

void check(const Schedule& schedule, const std::map<Slot, std::uint64_t>& held,
           std::uint64_t pieces) {
  const Collective& asked = schedule.collective();
  const std::uint32_t n = schedule.group().size();
  std::uint64_t everyone = 0;
  for (std::uint32_t rank = 0; rank < n; ++rank) everyone += std::uint64_t{1} << (4 * rank);
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    for (std::uint64_t chunk = 0; chunk < schedule.blocks() * pieces; ++chunk) {
      const std::uint64_t block = chunk / pieces;
      const auto one = [](std::uint64_t who) { return std::uint64_t{1} << (4 * who); };
      const auto found = held.find({rank, chunk});
      const std::uint64_t value = found == held.end() ? 0 : found->second;
      switch (asked.kind) {
        case Kind::all_reduce: EXPECT_EQ(value, everyone); break;
        case Kind::reduce: EXPECT_TRUE(rank != asked.root || value == everyone); break;
        case Kind::reduce_scatter: EXPECT_TRUE(rank != block || value == everyone); break;
        case Kind::broadcast: EXPECT_EQ(value, one(asked.root)); break;
        case Kind::all_gather: EXPECT_EQ(value, one(block)); break;
        case Kind::send_recv: EXPECT_TRUE(rank != (block + 1) % n || value == one(block)); break;
        case Kind::all_to_all: EXPECT_TRUE(rank != block % n || value == one(block / n)); break;
      }
    }
  }
}

TEST(ReplayRule, IsEnoughToGetTheResultInAnyOrder) {
  for (const int nodes : {1, 3}) {
    const topology::Cluster cluster = make_cluster(
        {.gpus = nodes == 1 ? 6 : 3, .nics = nodes == 1 ? 6 : 3, .in_network_reduction = true},
        nodes);
    for (const Algorithm& algorithm : algorithms()) {
      for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                              Kind::broadcast, Kind::reduce, Kind::all_to_all, Kind::send_recv}) {
        const Request request =
            make_request(cluster, {.kind = kind, .bytes = Bytes(128), .root = 2},
                         {.channels = 1, .chunk = Bytes(64)});
        if (!algorithm.supports(kind) || !algorithm.why_not(request).empty()) continue;
        const Schedule schedule = algorithm.build(request);
        SCOPED_TRACE(std::string(algorithm.name) + " " + std::string(to_text(kind)));
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          check(schedule, LooseReplay(schedule, 0, seed).run(),
                schedule.channels()[0].chunks_per_block);
        }
      }
    }
  }
}

}  // namespace
}  // namespace railyard::collectives
