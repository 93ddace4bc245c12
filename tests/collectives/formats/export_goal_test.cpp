#include "collectives/formats/export_goal.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::list_transfers;
using testing::Listed;
using testing::make_cluster;
using testing::make_request;

struct Operation {
  bool sends = false;
  std::int64_t bytes = 0;
  std::uint32_t peer = 0, tag = 0;
  std::vector<std::size_t> needs;
};

/// A GOAL file as LogGOPSim's grammar has it; fails the test on anything else.
std::vector<std::vector<Operation>> read_goal(const std::string& text) {
  static const std::regex kOperation(
      R"(l(\d+): (send|recv) (\d+)b (to|from) (\d+) tag (\d+) cpu (\d+))");
  static const std::regex kNeeds(R"(l(\d+) requires l(\d+))");
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line.rfind("num_ranks ", 0), 0U);
  std::vector<std::vector<Operation>> ranks;
  std::smatch match;
  while (std::getline(in, line)) {
    if (line == "rank " + std::to_string(ranks.size()) + " {") {
      ranks.emplace_back();
    } else if (std::regex_match(line, match, kOperation)) {
      EXPECT_EQ(std::stoul(match[1]), ranks.back().size());
      EXPECT_EQ(match[2] == "send", match[4] == "to");
      ranks.back().push_back({.sends = match[2] == "send",
                              .bytes = std::stoll(match[3]),
                              .peer = static_cast<std::uint32_t>(std::stoul(match[5])),
                              .tag = static_cast<std::uint32_t>(std::stoul(match[6])),
                              .needs = {}});
    } else if (std::regex_match(line, match, kNeeds)) {
      const std::size_t needed = std::stoul(match[2]);
      EXPECT_LT(needed, std::stoul(match[1])) << "defined before use";
      ranks.back().at(std::stoul(match[1])).needs.push_back(needed);
    } else {
      EXPECT_EQ(line, "}");
    }
  }
  EXPECT_EQ(ranks.size(), std::stoul(text.substr(10)));
  return ranks;
}

/// Runs it: a send is done once what it requires is done, a recv once its message was sent too.
/// Returns how many operations never finish.
std::size_t operations_left(const std::vector<std::vector<Operation>>& ranks) {
  using Message = std::tuple<std::size_t, std::size_t, std::uint32_t, std::int64_t>;
  std::map<Message, int> in_flight;
  std::vector<std::vector<bool>> done;
  std::size_t left = 0;
  for (const auto& operations : ranks) {
    done.emplace_back(operations.size(), false);
    left += operations.size();
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
        const Operation& operation = ranks[rank][i];
        if (done[rank][i]) continue;
        bool ready = true;
        for (const std::size_t needed : operation.needs) ready = ready && done[rank][needed];
        const Message message = operation.sends
                                    ? Message{rank, operation.peer, operation.tag, operation.bytes}
                                    : Message{operation.peer, rank, operation.tag, operation.bytes};
        if (!operation.sends) ready = ready && in_flight[message] > 0;
        if (!ready) continue;
        in_flight[message] += operation.sends ? 1 : -1;
        done[rank][i] = moved = true;
        --left;
      }
    }
  }
  for (const auto& [message, count] : in_flight) EXPECT_EQ(count, 0) << "sent, never received";
  return left;
}

class GoalOf : public ::testing::TestWithParam<Kind> {};

TEST_P(GoalOf, EveryAlgorithmCompletes) {
  int exported = 0;
  for (const int nodes : {1, 3}) {
    const topology::Cluster cluster =
        make_cluster({.gpus = 4, .nics = 4, .in_network_reduction = true}, nodes);
    for (const Algorithm& algorithm : algorithms()) {
      const Request request =
          make_request(cluster, {.kind = GetParam(), .bytes = Bytes(9'600), .root = 2},
                       {.channels = 2, .chunk = Bytes(1'000)});
      if (!algorithm.supports(GetParam()) || !algorithm.why_not(request).empty()) continue;
      const Schedule schedule = algorithm.build(request);
      const auto ranks = read_goal(export_goal(schedule));
      ASSERT_EQ(ranks.size(), schedule.participants());
      EXPECT_EQ(operations_left(ranks), 0U) << algorithm.name;
      std::int64_t sent = 0, expected = 0;
      for (const auto& operations : ranks) {
        for (const Operation& operation : operations) sent += operation.sends ? operation.bytes : 0;
      }
      for (const Listed& listed : list_transfers(schedule)) {
        const int messages = listed.transfer.relay == kNoParticipant ? 1 : 2;
        expected += messages * schedule.bytes(listed.channel, listed.transfer).count();
      }
      EXPECT_EQ(sent, expected) << algorithm.name;
      ++exported;
    }
  }
  EXPECT_GE(exported, 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GoalOf,
                         ::testing::Values(Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                                           Kind::broadcast, Kind::reduce, Kind::all_to_all,
                                           Kind::send_recv),
                         [](const auto& kind) { return std::string(to_text(kind.param)); });

TEST(ExportGoal, ChainOfThreeRanksInFull) {
  // Broadcast of 8 bytes from rank 0 through 1 to 2 on one node: rank 1's send requires its recv.
  const topology::Cluster cluster = make_cluster({.gpus = 3, .nics = 3}, 1);
  const Request request = make_request(cluster, {.kind = Kind::broadcast, .bytes = Bytes(8)});
  EXPECT_EQ(
      export_goal(build_schedule("ring", request)),
      "num_ranks 3\n"
      "rank 0 {\nl0: send 8b to 1 tag 0 cpu 0\n}\n"
      "rank 1 {\nl0: recv 8b from 0 tag 0 cpu 0\nl1: send 8b to 2 tag 0 cpu 0\nl1 requires l0\n}\n"
      "rank 2 {\nl0: recv 8b from 1 tag 0 cpu 0\n}\n");
}

TEST(ExportGoal, RefusesWhatWouldNotFit) {
  // 8 channels x 2 (n-1) turns x n transfers with n = 2048: 67 million.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 256);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 20)}));
  EXPECT_THROW((void)export_goal(schedule), InputError);
}

}  // namespace
}  // namespace railyard::collectives
