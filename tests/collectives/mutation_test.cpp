#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/verifier/verify.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::make_cluster;
using testing::make_request;

/// A channel written out: steps of transfers.
using Written = std::vector<std::vector<Transfer>>;

Written write_out(const Channel& channel) {
  Written steps;
  for (const Loop& loop : channel.loops) {
    for (std::uint64_t k = 0; k < loop.repeat; ++k) {
      for (const Step& step : loop.steps) {
        std::vector<Transfer> transfers;
        for (std::uint64_t i = 0; i < step.size(); ++i) transfers.push_back(step.at(i, k));
        steps.push_back(std::move(transfers));
      }
    }
  }
  return steps;
}

/// The schedule with one channel, written out.
Schedule schedule_of(const Schedule& like, const Written& written, std::uint64_t chunks_per_block) {
  Loop loop;
  for (const std::vector<Transfer>& step : written) {
    loop.steps.push_back(
        {.pattern = ListPattern{.transfers = std::make_shared<const std::vector<Transfer>>(step)}});
  }
  return Schedule(
      {.algorithm = like.algorithm(),
       .protocol = like.protocol(),
       .collective = like.collective(),
       .group = std::make_shared<const Group>(like.group()),
       .reducers = {like.reducers().begin(), like.reducers().end()},
       .channels = {{.chunks_per_block = chunks_per_block, .loops = {std::move(loop)}}}});
}

/// The oracle, which shares nothing with the verifier: replays with random 64-bit numbers (sums
/// wrap) and looks whether every rank has the result that the collective's definition gives. Wrong
/// schedules pass with a chance of about 2^-64.
class NumberReplay {
 public:
  NumberReplay(const Schedule& schedule, std::uint64_t pieces)
      : schedule_(schedule),
        n_(schedule.group().size()),
        pieces_(pieces),
        chunks_(schedule.blocks() * pieces) {
    std::mt19937_64 random(7);
    for (std::uint32_t rank = 0; rank < n_; ++rank) {
      for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) own_[{rank, chunk}] = random() | 1U;
    }
  }

  bool gives_result(const Written& steps) {
    std::map<std::pair<Participant, std::uint64_t>, std::uint64_t> now;
    for (const auto& [at, value] : own_) {
      if (starts_with(at.first, at.second / pieces_)) now[at] = value;
    }
    for (const std::vector<Transfer>& step : steps) {
      const auto before = now;
      for (const Transfer& transfer : step) {
        for (std::uint64_t c = 0; c < transfer.chunk_count; ++c) {
          const std::uint64_t chunk = transfer.first_chunk + c;
          const auto held = before.find({transfer.source, chunk});
          const std::uint64_t value = held == before.end() ? 0 : held->second;
          std::uint64_t& slot = now[{transfer.destination, chunk}];
          slot = transfer.action == Action::copy ? value : slot + value;
        }
      }
    }
    return is_result(now);
  }

 private:
  [[nodiscard]] bool starts_with(std::uint32_t rank, std::uint64_t block) const {
    const Collective& asked = schedule_.collective();
    switch (asked.kind) {
      case Kind::broadcast: return rank == asked.root;
      case Kind::all_gather:
      case Kind::send_recv: return rank == block;
      case Kind::all_to_all: return rank == block / n_;
      default: return true;
    }
  }

  [[nodiscard]] std::uint64_t total(std::uint64_t chunk) const {
    std::uint64_t sum = 0;
    for (std::uint32_t rank = 0; rank < n_; ++rank) sum += own_.at({rank, chunk});
    return sum;
  }

  template <class Map>
  [[nodiscard]] bool is_result(const Map& now) const {
    const Collective& asked = schedule_.collective();
    const auto has = [&](std::uint32_t rank, std::uint64_t chunk, std::uint64_t value) {
      const auto held = now.find({rank, chunk});
      return held != now.end() && held->second == value;
    };
    for (std::uint32_t rank = 0; rank < n_; ++rank) {
      for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint64_t block = chunk / pieces_;
        bool right = true;
        switch (asked.kind) {
          case Kind::all_reduce: right = has(rank, chunk, total(chunk)); break;
          case Kind::reduce: right = rank != asked.root || has(rank, chunk, total(chunk)); break;
          case Kind::reduce_scatter: right = rank != block || has(rank, chunk, total(chunk)); break;
          case Kind::broadcast: right = has(rank, chunk, own_.at({asked.root, chunk})); break;
          case Kind::all_gather:
            right = has(rank, chunk, own_.at({static_cast<std::uint32_t>(block), chunk}));
            break;
          case Kind::send_recv:
            right = rank != (block + 1) % n_ ||
                    has(rank, chunk, own_.at({static_cast<std::uint32_t>(block), chunk}));
            break;
          case Kind::all_to_all:
            right = rank != block % n_ ||
                    has(rank, chunk, own_.at({static_cast<std::uint32_t>(block / n_), chunk}));
            break;
        }
        if (!right) return false;
      }
    }
    return true;
  }

  const Schedule& schedule_;
  std::uint32_t n_;
  std::uint64_t pieces_, chunks_;
  std::map<std::pair<Participant, std::uint64_t>, std::uint64_t> own_;
};

struct Mutant {
  std::string what;
  Written steps;
};

/// Every mutant of one transfer: dropped, doubled, redirected, from another source, of the next
/// chunk, with the other action, a step later, a step earlier.
std::vector<Mutant> mutants(const Written& steps, Participant participants, std::uint64_t chunks) {
  std::vector<Mutant> found;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (std::size_t i = 0; i < steps[s].size(); ++i) {
      const Transfer& original = steps[s][i];
      const std::string at =
          fmt::format("step {} transfer {} ({} -> {} chunk {})", s, i, original.source,
                      original.destination, original.first_chunk);
      const auto changed = [&](std::string_view how, auto change) {
        Written copy = steps;
        change(copy);
        found.push_back({fmt::format("{} {}", how, at), std::move(copy)});
      };
      const auto next = [&](Participant who) { return (who + 1) % participants; };
      changed("dropped",
              [&](Written& w) { w[s].erase(w[s].begin() + static_cast<std::ptrdiff_t>(i)); });
      changed("doubled", [&](Written& w) { w[s].push_back(original); });
      changed("redirected", [&](Written& w) {
        Participant& to = w[s][i].destination;
        to = next(to) == original.source ? next(next(to)) : next(to);
      });
      changed("other source", [&](Written& w) {
        Participant& from = w[s][i].source;
        from = next(from) == original.destination ? next(next(from)) : next(from);
      });
      changed("other action", [&](Written& w) {
        w[s][i].action = original.action == Action::copy ? Action::reduce : Action::copy;
      });
      if (original.first_chunk + original.chunk_count < chunks) {
        changed("next chunk", [&](Written& w) { ++w[s][i].first_chunk; });
      } else if (original.first_chunk > 0) {
        changed("chunk before", [&](Written& w) { --w[s][i].first_chunk; });
      }
      const auto move_to = [&](std::size_t step) {
        changed(step > s ? "later" : "earlier", [&](Written& w) {
          w[s].erase(w[s].begin() + static_cast<std::ptrdiff_t>(i));
          w[step].push_back(original);
        });
      };
      if (s + 1 < steps.size()) move_to(s + 1);
      if (s > 0) move_to(s - 1);
    }
  }
  return found;
}

struct Tally {
  int caught = 0, equivalent = 0, missed = 0;
};

void try_mutants(const Schedule& schedule, Tally& tally) {
  const Channel& channel = schedule.channels().front();
  const std::uint64_t pieces = channel.chunks_per_block;
  const Written steps = write_out(channel);
  NumberReplay oracle(schedule, pieces);
  ASSERT_TRUE(oracle.gives_result(steps))
      << schedule.algorithm() << ": the oracle refuses the original";
  ASSERT_TRUE(verify(schedule_of(schedule, steps, pieces)).empty()) << schedule.algorithm();
  for (const Mutant& mutant : mutants(steps, schedule.participants(), schedule.blocks() * pieces)) {
    const bool caught = !verify(schedule_of(schedule, mutant.steps, pieces)).empty();
    const bool broken = !oracle.gives_result(mutant.steps);
    if (caught) ++tally.caught;
    if (!broken && !caught) ++tally.equivalent;
    if (broken && !caught) {
      ++tally.missed;
      ADD_FAILURE() << schedule.algorithm() << " " << to_text(schedule.collective().kind)
                    << ": missed " << mutant.what;
    }
  }
}

class Mutation : public ::testing::TestWithParam<Kind> {};

TEST_P(Mutation, EveryBrokenScheduleIsCaught) {
  const std::vector<topology::Cluster> clusters = [] {
    std::vector<topology::Cluster> made;
    made.push_back(make_cluster({.gpus = 5, .nics = 5, .in_network_reduction = true}, 1));
    made.push_back(make_cluster({.gpus = 2, .nics = 2, .in_network_reduction = true}, 3));
    return made;
  }();
  Tally tally;
  std::size_t algorithms_tried = 0;
  for (const topology::Cluster& cluster : clusters) {
    for (const Algorithm& algorithm : algorithms()) {
      if (!algorithm.supports(GetParam())) continue;
      // Two pipeline pieces of 64 B in the pipelined ones.
      const Request request =
          make_request(cluster, {.kind = GetParam(), .bytes = Bytes(128), .root = 1},
                       {.channels = 1, .chunk = Bytes(64)});
      if (!algorithm.why_not(request).empty()) continue;
      try_mutants(algorithm.build(request), tally);
      ++algorithms_tried;
    }
  }
  EXPECT_GT(algorithms_tried, 1U);
  EXPECT_EQ(tally.missed, 0);
  // Equivalent ones (a copy doubled, a step moved without need) must not be the rule.
  EXPECT_GT(tally.caught, 2 * tally.equivalent);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Mutation,
                         ::testing::Values(Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                                           Kind::broadcast, Kind::reduce, Kind::all_to_all,
                                           Kind::send_recv),
                         [](const auto& kind) { return std::string(to_text(kind.param)); });

}  // namespace
}  // namespace railyard::collectives
