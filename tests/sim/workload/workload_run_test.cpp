#include "sim/workload/workload_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/diagnostic.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/collectives/workload/workload_builder.hpp"
#include "tests/sim/sim_cluster.hpp"
#include "tests/sim/workload/rank_grid.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::NameTable;
using collectives::Operation;
using collectives::OperationKind;
using collectives::ProgramBuilder;
using collectives::RankPrograms;
using collectives::WaitCause;
using collectives::Workload;
using collectives::WorkloadRun;
using topology::Cluster;

constexpr auto kNothing = ProgramBuilder::kNothing;

/// Ring collectives on one channel; messages on one.
WorkloadOptions options(const Cluster& cluster, bool shares_links = true) {
  WorkloadOptions its;
  its.schedule = [&cluster](std::shared_ptr<const collectives::Group> group,
                            const collectives::Collective& asked) {
    const bool hops = asked.kind == Kind::send_recv;
    const bool exchange = asked.kind == Kind::all_to_all;
    return collectives::build_schedule(hops       ? "neighbour"
                                       : exchange ? "direct"
                                                  : "ring",
                                       {cluster, std::move(group), asked, {.channels = 1}});
  };
  its.shares_links = shares_links;
  return its;
}

WorkloadRun run(const Cluster& cluster, const Workload& workload, const WorkloadOptions& how) {
  std::vector<Rank> gpus;
  for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank) gpus.emplace_back(rank);
  return run_workload(cluster, workload, gpus, how);
}
WorkloadRun run(const Cluster& cluster, const Workload& workload) {
  return run(cluster, workload, options(cluster));
}

/// Of the class that a rank is in.
const collectives::OperationRun& ran(const WorkloadRun& run, std::uint32_t rank,
                                     std::uint32_t operation) {
  for (const auto& its : run.classes)
    if (std::ranges::find(its.ranks, rank) != its.ranks.end()) return its.operations[operation];
  throw std::logic_error("no such rank");
}

/// Passes of 1F1B of stage `stage` of p, F = 1 ms, B = 2 ms, over m micro-batches. Messages of
/// `bytes` run on streams of their own; where `blocks`, the next pass waits for those that its rank
/// sends.
void one_f_one_b(ProgramBuilder& program, int stage, int p, int m, Bytes bytes, bool blocks) {
  const int warm_up = std::min(m, p - 1 - stage);
  std::uint32_t sent = kNothing;
  const auto pass = [&](bool forward) {
    const int from = forward ? stage - 1 : stage + 1, to = forward ? stage + 1 : stage - 1;
    std::uint32_t received = kNothing;
    if (from >= 0 && from < p)
      received = message(program, OperationKind::receive, forward ? "from before" : "from behind",
                         from, bytes, {blocks ? sent : kNothing});
    const auto done =
        compute(program, forward ? "F" : "B", forward ? 1_ms : 2_ms, {received, sent});
    sent = kNothing;
    if (to < 0 || to >= p) return;
    const auto message_of = message(program, OperationKind::send,
                                    forward ? "to behind" : "to before", to, bytes, {done});
    if (blocks) sent = message_of;
  };
  for (int i = 0; i < warm_up; ++i) pass(true);
  for (int i = warm_up; i < m; ++i) {
    pass(true);
    pass(false);
  }
  for (int i = 0; i < warm_up; ++i) pass(false);
}

Workload pipeline(int p, int m, Bytes bytes, bool blocks = false) {
  RankPrograms programs(static_cast<std::uint32_t>(p));
  for (int stage = 0; stage < p; ++stage)
    one_f_one_b(programs[static_cast<std::size_t>(stage)], stage, p, m, bytes, blocks);
  return programs.workload();
}

TEST(WorkloadRun, OneForwardOneBackwardTakesMPlusPMinusOnePasses) {
  // (m + p - 1) (F + B): 5 x 3 ms on two stages, 7 x 3 ms on four.
  EXPECT_EQ(run(single_switch(2, 1), pipeline(2, 4, Bytes())).total, 15_ms);
  EXPECT_EQ(run(single_switch(4, 1), pipeline(4, 4, Bytes())).total, 21_ms);
}

TEST(WorkloadRun, OneMicroBatchPassesAllStagesAndHopsInTurn) {
  // 4 (F + B) + 6 hops of 25 MB at 50 GB/s: 12 ms + 3 ms.
  EXPECT_EQ(run(single_switch(4, 1), pipeline(4, 1, 25_MB)).total, 15_ms);
}

TEST(WorkloadRun, OverlappedHopsOfTwoStages) {
  // Hops of 1 ms. Stage 0: F0 0-1, F1 1-2; sends 1-2, 2-3. Stage 1: F0 2-3, B0 3-5, F1 5-6, B1 6-8;
  // sends 5-6, 8-9. Stage 0: B0 6-8, B1 9-11.
  const auto result = run(single_switch(2, 1), pipeline(2, 2, 50_MB));
  EXPECT_EQ(result.total, 11_ms);
}

TEST(WorkloadRun, SendsThatHoldTheirRankDelayItsPasses) {
  // Two messages of 1 ms from rank 0, which computes 1 ms before each: 0-1, 1-2, 2-3, 3-4; with
  // sends on a stream of their own 0-1, 1-2 and messages 1-2, 2-3.
  for (const bool own_stream : {false, true}) {
    RankPrograms programs(2);
    for (int i = 0; i < 2; ++i) {
      const auto done = compute(programs[0], "F", 1_ms);
      message(programs[0], OperationKind::send, own_stream ? "send" : "compute", 1, 50_MB, {done});
      message(programs[1], OperationKind::receive, "receive", 0, 50_MB);
    }
    EXPECT_EQ(run(single_switch(2, 1), programs.workload()).total, own_stream ? 3_ms : 4_ms);
  }
}

TEST(WorkloadRun, BlockingHopsOfTwoStages) {
  // Both ranks send and receive at once (1 ms), and do nothing else meanwhile.
  // Stage 0: F0 0-1, send 1-2, F1 2-3. Stage 1: F0 2-3, B0 3-5. Then F1's message, which stage 1
  // takes behind B0, and B0's: 5-6. Stage 0: B0 6-8; stage 1: F1 6-7, B1 7-9, message 9-10. Stage
  // 0: B1 10-12.
  RankPrograms programs(2);
  auto &a = programs[0], &b = programs[1];
  const auto send = OperationKind::send, receive = OperationKind::receive;
  auto at = compute(a, "F0", 1_ms);
  at = message(a, send, "send", 1, 50_MB, {at});
  at = compute(a, "F1", 1_ms, {at});
  const auto sent = message(a, send, "send", 1, 50_MB, {at});
  const auto received = message(a, receive, "receive", 1, 50_MB, {at});
  at = compute(a, "B0", 2_ms, {sent, received});
  at = message(a, receive, "receive", 1, 50_MB, {at});
  const auto last = compute(a, "B1", 2_ms, {at});
  at = message(b, receive, "receive", 0, 50_MB);
  compute(b, "F0", 1_ms, {at});
  at = compute(b, "B0", 2_ms);
  const auto back = message(b, send, "send", 0, 50_MB, {at});
  at = message(b, receive, "receive", 0, 50_MB, {at});
  compute(b, "F1", 1_ms, {back, at});
  at = compute(b, "B1", 2_ms);
  message(b, send, "send", 0, 50_MB, {at});
  const auto result = run(single_switch(2, 1), programs.workload());
  EXPECT_EQ(result.total, 12_ms);
  EXPECT_EQ(ran(result, 0, last).begin, 10_ms);
  // Its last message began at 9 ms because of stage 1's last pass.
  EXPECT_EQ(ran(result, 0, last - 1).begin, 8_ms);
  EXPECT_EQ(ran(result, 0, last - 1).start, 9_ms);
  EXPECT_EQ(ran(result, 0, last - 1).cause, WaitCause::peer);
}

/// 100 MB from rank 0 to 1 at 0 ms and to 2 at 1 ms; the numbers of both sends.
struct SharedLink {
  Workload workload;
  std::uint32_t first, second;
};
SharedLink messages_that_share_a_link() {
  RankPrograms programs(3);
  const auto first = message(programs[0], OperationKind::send, "one", 1, 100_MB);
  const auto wait = compute(programs[0], "wait", 1_ms);
  const auto second = message(programs[0], OperationKind::send, "other", 2, 100_MB, {wait});
  message(programs[1], OperationKind::receive, "one", 0, 100_MB);
  message(programs[2], OperationKind::receive, "one", 0, 100_MB);
  return {programs.workload(), first, second};
}

TEST(WorkloadRun, MessagesThatShareALinkForAPartOfTheirTimeHalveItsRate) {
  // 100 MB from rank 0 to 1 at 0 ms, 100 MB to 2 at 1 ms, on one NIC of 50 GB/s: 2 ms each alone.
  // The first has sent 50 MB when the second begins; then 25 GB/s each: the first ends at 3 ms, the
  // second has 50 MB left: 4 ms.
  const auto [workload, first, second] = messages_that_share_a_link();
  const auto cluster = single_switch(3, 1);
  const auto flow = run(cluster, workload);
  EXPECT_EQ(ran(flow, 0, first).end, 3_ms);
  EXPECT_EQ(ran(flow, 0, second).end, 4_ms);
  EXPECT_EQ(ran(flow, 0, second).alone, 2_ms);
  const auto analytic = run(cluster, workload, options(cluster, false));
  EXPECT_EQ(ran(analytic, 0, first).end, 2_ms);
  EXPECT_EQ(ran(analytic, 0, second).end, 3_ms);
  EXPECT_DOUBLE_EQ(flow.link_loads.empty() ? 0 : flow.link_loads.front().bytes, 200e6);
}

TEST(WorkloadRun, AGradientBucketWaitsForItsStream) {
  // Rings of two over NICs of 50 GB/s: 150 MB take 3 ms, 100 MB take 2 ms. The first bucket is
  // there at 1 ms and runs until 4 ms; the second is there at 2 ms, begins at 4 ms, ends at 6 ms.
  RankPrograms programs(2);
  std::uint32_t bucket = 0;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    auto& its = programs[rank];
    const auto one = compute(its, "B1", 1_ms);
    const auto other = compute(its, "B0", 1_ms);
    all_reduce(its, "gradients", 150_MB, {one});
    bucket = all_reduce(its, "gradients", 100_MB, {other});
  }
  const auto result = run(single_switch(2, 1), programs.workload());
  EXPECT_EQ(ran(result, 0, bucket).begin, 4_ms);
  EXPECT_EQ(ran(result, 0, bucket).cause, WaitCause::stream);
  EXPECT_EQ(result.total, 6_ms);
}

TEST(WorkloadRun, ASendBlocksItsStreamUntilTheOtherSideIsThere) {
  // The receiver computes for 5 ms first: the message runs 5-6, what follows it 6-7.
  RankPrograms programs(2);
  const auto send = message(programs[0], OperationKind::send, "compute", 1, 50_MB);
  const auto next = compute(programs[0], "next", 1_ms);
  compute(programs[1], "late", 5_ms);
  message(programs[1], OperationKind::receive, "compute", 0, 50_MB);
  const Workload workload = programs.workload();
  const auto result = run(single_switch(2, 1), workload);
  EXPECT_EQ(ran(result, 0, send).begin, Time());
  EXPECT_EQ(ran(result, 0, send).start, 5_ms);
  EXPECT_EQ(ran(result, 0, next).end, 7_ms);
  // The path: the late rank's pass, the message, what follows it.
  ASSERT_EQ(result.critical_path.size(), 3u);
  EXPECT_EQ(result.critical_path[0].end, 5_ms);
  EXPECT_EQ(result.critical_path[1].cause, WaitCause::peer);
  EXPECT_EQ(result.critical_path[1].begin, 5_ms);
  EXPECT_EQ(result.critical_path[2].end, 7_ms);
  for (const auto& its : result.classes) {
    const auto times = rank_times(workload, its);
    EXPECT_EQ(times.exposed, 1_ms);
    EXPECT_EQ(times.peer_wait, its.ranks.front() == 0 ? 5_ms : Time());
    EXPECT_EQ(times.idle, Time());
  }
}

TEST(WorkloadRun, CommunicationSlowsComputationByItsShare) {
  // 4 ms of work beside a message of 2 ms that takes half of the GPU's speed: 1 ms of work is done
  // at 2 ms, all of it at 5 ms.
  RankPrograms programs(2);
  const auto work = compute(programs[0], "work", 4_ms);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    auto& its = programs[rank];
    its.add("message", {.kind = rank == 0 ? OperationKind::send : OperationKind::receive,
                        .stream = its.stream("network"),
                        .peer = rank == 0 ? 1 : 0,
                        .bytes = 100_MB,
                        .compute_share = rank == 0 ? 0.5F : 0.F});
  }
  const auto result = run(single_switch(2, 1), programs.workload());
  EXPECT_EQ(ran(result, 0, work).end, 5_ms);
}

TEST(WorkloadRun, ARateShareHidesWhatLinksBetweenSwitchesTakeLonger) {
  // All-to-all of 100 MB over 4 nodes, 2 below each leaf, whose one uplink of 50 GB/s is 2:1. A
  // port sends 3 x 25 MB in 1.5 ms; the uplink carries 4 x 25 MB of its two nodes in 2 ms. Three
  // quarters of the rate stretch the 1.5 ms to 2 ms, which the uplink needs anyway; a half to 3 ms.
  const auto cluster = testing::cluster(4, 1, leaf_spine(2, 2.0));
  for (const auto& [share, expected] : {std::pair(1.F, 2_ms), {0.75F, 2_ms}, {0.5F, 3_ms}}) {
    RankPrograms programs(4);
    for (std::size_t rank = 0; rank < 4; ++rank)
      programs[rank].add("exchange", {.kind = OperationKind::collective,
                                      .collective = Kind::all_to_all,
                                      .stream = programs[rank].stream("experts"),
                                      .bytes = 100_MB,
                                      .rate_share = share});
    EXPECT_EQ(run(cluster, programs.workload()).total, expected) << share;
  }
}

TEST(WorkloadRun, ACollectiveStartsItsDurationLater) {
  // Two ranks below one switch exchange 100 MB: 50 MB leave each NIC at 50 GB/s in 1 ms. With a
  // start-up time of 0.5 ms they end at 1.5 ms, whether links are shared or not. Half of the rate
  // takes 2 ms behind the same start.
  for (const bool shares : {false, true})
    for (const auto& [share, expected] : {std::pair(1.F, 1500_us), {0.5F, 2500_us}}) {
      RankPrograms programs(2);
      for (std::size_t rank = 0; rank < 2; ++rank)
        programs[rank].add("exchange", {.kind = OperationKind::collective,
                                        .collective = Kind::all_to_all,
                                        .stream = programs[rank].stream("experts"),
                                        .duration = 500_us,
                                        .bytes = 100_MB,
                                        .rate_share = share});
      const Cluster cluster = single_switch(2, 1);
      const auto result = run(cluster, programs.workload(), options(cluster, shares));
      EXPECT_EQ(ran(result, 0, 0).start, Time());
      EXPECT_EQ(ran(result, 0, 0).alone, expected);
      EXPECT_EQ(ran(result, 0, 0).end, expected);
    }
}

TEST(WorkloadRun, ARateShareStretchesACollectiveAndLeavesTheRestToOthers) {
  // At half of its rate 100 MB take 4 ms at 25 GB/s. A message of 100 MB beside it on the same NIC
  // gets the other half: 4 ms too.
  RankPrograms programs(3);
  for (const auto& [peer, stream, share] : {std::tuple(1, "one", 0.5F), {2, "other", 1.F}}) {
    programs[0].add("send", {.kind = OperationKind::send,
                             .stream = programs[0].stream(stream),
                             .peer = peer,
                             .bytes = 100_MB,
                             .rate_share = share});
    auto& other = programs[static_cast<std::size_t>(peer)];
    other.add("receive", {.kind = OperationKind::receive,
                          .stream = other.stream(stream),
                          .peer = 0,
                          .bytes = 100_MB,
                          .rate_share = share});
  }
  const auto result = run(single_switch(3, 1), programs.workload());
  EXPECT_EQ(ran(result, 0, 0).end, 4_ms);
  EXPECT_EQ(ran(result, 0, 1).end, 4_ms);
}

TEST(WorkloadRun, AnOperationMayBeginBehindTheBeginOfAnother) {
  RankPrograms programs(1);
  compute(programs[0], "long", 3_ms);
  const std::vector<collectives::Dependency> after{{.operation = 0, .on_begin = true}};
  const auto other = programs[0].add(
      "copy", {.kind = OperationKind::copy, .stream = Operation::kUnordered, .duration = 1_ms},
      std::span<const collectives::Dependency>(after));
  const auto result = run(single_switch(1, 2), programs.workload());
  EXPECT_EQ(ran(result, 0, other).end, 1_ms);
}

TEST(WorkloadRun, ConcurrentCollectivesEndAsInTheFlowEngine) {
  // Two rings over the same four nodes, 200 MB and 100 MB: 6 ms and 3 ms alone. Together both get
  // half: the second ends at 6 ms; the first has 100 MB left, 3 ms: 9 ms.
  const auto cluster = single_switch(4, 1);
  RankPrograms programs(4);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    all_reduce(programs[rank], "one", 200_MB);
    all_reduce(programs[rank], "other", 100_MB);
  }
  const auto result = run(cluster, programs.workload());
  const auto one = schedule(cluster, "ring", {.bytes = 200_MB}, {.channels = 1});
  const auto other = schedule(cluster, "ring", {.bytes = 100_MB}, {.channels = 1});
  const std::vector<collectives::Task> tasks{{&one, Time(), ""}, {&other, Time(), ""}};
  const auto flow = FlowNetwork(cluster).run(tasks);
  EXPECT_EQ(ran(result, 0, 0).end, 9_ms);
  EXPECT_EQ(ran(result, 0, 1).end, 6_ms);
  EXPECT_EQ(ran(result, 0, 0).end, flow.tasks[0].finish);
  EXPECT_EQ(ran(result, 0, 1).end, flow.tasks[1].finish);
  EXPECT_EQ(result.classes.size(), 4u) << "each rank has a program of its own";
}

/// A step on a grid of `columns` x `rows` ranks, all of the same operations: families of the rows
/// and the columns; some ranks compute for longer than others. Communication has `share` of its
/// rate.
Workload random_workload(std::mt19937& random, std::uint32_t columns, std::uint32_t rows,
                         float share = 1) {
  const auto draw = [&](int most) { return std::uniform_int_distribution<>(0, most - 1)(random); };
  Workload::Parts parts = rank_grid(columns, rows);
  NameTable names;
  const int roles = 1 + draw(2);
  std::vector<ProgramBuilder> programs(static_cast<std::size_t>(roles), ProgramBuilder(names));
  std::uint32_t last = kNothing;
  for (int i = 0; i < 12; ++i) {
    const int what = draw(4);
    const auto family = static_cast<std::uint32_t>(draw(2));
    const Bytes bytes = 1_MB * (1 + draw(200));
    const auto stream = family == 0 ? "rows" : "columns";
    const bool waits = draw(2) == 0;
    std::uint32_t next = kNothing;
    for (ProgramBuilder& its : programs) {
      const std::uint32_t behind = waits ? last : kNothing;
      if (what == 0) {
        next = compute(its, "work", 100_us * (1 + draw(50)), {behind});
      } else if (what == 3 && (family == 0 ? columns : rows) > 2) {
        its.add("to next",
                {.kind = OperationKind::send,
                 .is_relative = true,
                 .stream = its.stream("send"),
                 .family = family,
                 .peer = 1,
                 .bytes = bytes,
                 .rate_share = share},
                {behind});
        next = its.add("from before", {.kind = OperationKind::receive,
                                       .is_relative = true,
                                       .stream = its.stream("receive"),
                                       .family = family,
                                       .peer = -1,
                                       .bytes = bytes,
                                       .rate_share = share});
      } else {
        const Kind kind = what == 1   ? Kind::all_reduce
                          : what == 2 ? Kind::all_gather
                                      : Kind::all_to_all;
        next = its.add("collective",
                       {.kind = OperationKind::collective,
                        .collective = kind,
                        .stream = its.stream(stream),
                        .family = family,
                        .bytes = bytes,
                        .rate_share = share,
                        .compute_share = waits ? 0.2F : 0.F},
                       {behind});
      }
    }
    last = next;
  }
  parts.roles.resize(static_cast<std::size_t>(roles));
  for (std::size_t r = 0; r < programs.size(); ++r) {
    parts.programs.push_back(programs[r].take());
    parts.roles[r].program = static_cast<std::uint32_t>(r);
  }
  // Roles by row or by column; now and then one odd rank.
  const bool by_row = draw(2) == 0;
  for (std::uint32_t rank = 0; rank < parts.ranks; ++rank) {
    const std::uint32_t role =
        (by_row ? rank / columns : rank % columns) % static_cast<std::uint32_t>(roles);
    parts.roles[role].ranks.push_back(rank);
  }
  parts.names = names.names();
  return Workload(std::move(parts));
}

TEST(WorkloadRun, FoldedEqualsExpanded) {
  std::mt19937 random(7);
  std::size_t folded_ranks = 0, all_ranks = 0;
  for (int i = 0; i < 60; ++i) {
    const int gpus = 1 << (i % 3), nodes = i % 2 == 0 ? 4 : 6;
    const auto cluster = testing::cluster(nodes, gpus, leaf_spine(2, i % 4 == 0 ? 2.0 : 1.0));
    const Workload workload = random_workload(random, static_cast<std::uint32_t>(gpus),
                                              static_cast<std::uint32_t>(nodes));
    for (const bool shares : {false, true}) {
      WorkloadOptions how = options(cluster, shares);
      if (i % 3 == 0) how.routing.policy = topology::RoutingPolicy::ecmp;
      const auto folded = run(cluster, workload, how);
      how.expand = true;
      const auto expanded = run(cluster, workload, how);
      ASSERT_NEAR(folded.total.seconds(), expanded.total.seconds(), 1e-6 * expanded.total.seconds())
          << "case " << i << (shares ? ", flow" : ", analytic");
      const auto classes = folded.class_of_ranks(workload.ranks());
      for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank)
        for (std::uint32_t o = 0; o < workload.program_of(rank).operations.size(); ++o)
          ASSERT_NEAR(folded.classes[classes[rank]].operations[o].end.seconds(),
                      ran(expanded, rank, o).end.seconds(), 1e-6 * expanded.total.seconds())
              << "case " << i << ", " << workload.describe(rank, o);
      ASSERT_EQ(folded.link_loads.size(), expanded.link_loads.size());
      for (std::size_t l = 0; l < folded.link_loads.size(); ++l)
        ASSERT_NEAR(folded.link_loads[l].bytes, expanded.link_loads[l].bytes, 1);
      folded_ranks += folded.classes.size();
      all_ranks += workload.ranks();
    }
  }
  EXPECT_LT(folded_ranks, all_ranks / 2) << "folding found too little to fold";
}

TEST(WorkloadRun, AnalyticEqualsFlowWhereNothingIsShared) {
  std::mt19937 random(11);
  for (int i = 0; i < 10; ++i) {
    // One stream per rank: whatever it communicates runs alone.
    RankPrograms programs(4);
    for (int k = 0; k < 6; ++k) {
      const Bytes bytes = 1_MB * (1 + static_cast<std::int64_t>(random() % 100));
      for (std::size_t rank = 0; rank < 4; ++rank) {
        compute(programs[rank], "work", 100_us * static_cast<std::int64_t>(rank + 1));
        all_reduce(programs[rank], "compute", bytes);
      }
    }
    const auto cluster = single_switch(4, 1);
    const Workload workload = programs.workload();
    const auto flow = run(cluster, workload);
    const auto analytic = run(cluster, workload, options(cluster, false));
    EXPECT_NEAR(flow.total.seconds(), analytic.total.seconds(), 1e-9);
  }
}

// Neither at full rate nor with a share of it, which hides the collisions that it leaves room for.
TEST(WorkloadRun, HashCollisionsNeverMakeItFaster) {
  for (const float share : {1.F, 0.57F}) {
    std::mt19937 random(5);
    double slower = 0;
    for (int i = 0; i < 12; ++i) {
      const Workload workload = random_workload(random, 2, 8, share);
      auto spec = leaf_spine(2);
      const auto clos = testing::cluster(8, 2, spec);
      const auto flat = single_switch(8, 2);
      WorkloadOptions how = options(clos);
      how.routing = {.policy = topology::RoutingPolicy::ecmp,
                     .seed = static_cast<std::uint64_t>(i)};
      const Time hashed = run(clos, workload, how).total;
      const Time free = run(flat, workload).total;
      EXPECT_GE(hashed + 1_ns, free) << i << ", share " << share;
      slower += hashed > free + 1_us ? 1 : 0;
    }
    EXPECT_GT(slower, 0) << "no case had a collision that mattered, share " << share;
  }
}

/// Every packet, without congestion control.
WorkloadOptions packets(const Cluster& cluster) {
  WorkloadOptions its = options(cluster);
  its.packet.emplace();
  its.packet->parameters.congestion = packet::Congestion::none;
  return its;
}

TEST(PacketWorkload, TimesOfASharedLinkAreThoseByHand) {
  // As MessagesThatShareALinkForAPartOfTheirTimeHalveItsRate: 3 ms and 4 ms; packets take turns.
  const auto [workload, first, second] = messages_that_share_a_link();
  const auto cluster = single_switch(3, 1);
  const auto result = run(cluster, workload, packets(cluster));
  EXPECT_NEAR(ran(result, 0, first).end.seconds(), 3e-3, 3e-5);
  EXPECT_NEAR(ran(result, 0, second).end.seconds(), 4e-3, 4e-5);
  EXPECT_EQ(ran(result, 0, second).start, 1_ms);
  // Both messages leave through the NIC; the fabric of this test has no headers.
  double most = 0;
  for (const auto& load : result.link_loads) most = std::max(most, load.bytes);
  EXPECT_DOUBLE_EQ(most, 200e6);
}

TEST(PacketWorkload, PassesMessagesAndBucketsAreThoseOfFlow) {
  // 11 ms, 15 ms and 6 ms by hand (OverlappedHopsOfTwoStages, OneMicroBatchPassesAllStages...,
  // AGradientBucketWaitsForItsStream).
  const auto two = single_switch(2, 1), four = single_switch(4, 1);
  EXPECT_NEAR(run(two, pipeline(2, 2, 50_MB), packets(two)).total.seconds(), 11e-3, 0.22e-3);
  EXPECT_NEAR(run(four, pipeline(4, 1, 25_MB), packets(four)).total.seconds(), 15e-3, 0.3e-3);
  RankPrograms programs(2);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    auto& its = programs[rank];
    const auto one = compute(its, "B1", 1_ms);
    const auto other = compute(its, "B0", 1_ms);
    all_reduce(its, "gradients", 150_MB, {one});
    all_reduce(its, "gradients", 100_MB, {other});
  }
  EXPECT_NEAR(run(two, programs.workload(), packets(two)).total.seconds(), 6e-3, 0.12e-3);
}

TEST(PacketWorkload, AShareOfTheRateIsALeastTime) {
  // 100 MB alone take 2 ms, at half of the rate 4 ms.
  RankPrograms programs(2);
  for (std::size_t rank = 0; rank < 2; ++rank)
    programs[rank].add("message", {.kind = rank == 0 ? OperationKind::send : OperationKind::receive,
                                   .stream = programs[rank].stream("network"),
                                   .peer = rank == 0 ? 1 : 0,
                                   .bytes = 100_MB,
                                   .rate_share = 0.5F});
  const auto cluster = single_switch(2, 1);
  EXPECT_EQ(run(cluster, programs.workload(), packets(cluster)).total, 4_ms);
}

// Rails of their own: nothing contends but collectives of one stream, which follow one another.
TEST(PacketWorkload, EqualsFlowWithinTwoPercentWhereNothingContends) {
  std::mt19937 random(3);
  const auto draw = [&](int most) {
    return 1 + std::uniform_int_distribution<std::int64_t>(0, most - 1)(random);
  };
  for (int i = 0; i < 6; ++i) {
    RankPrograms programs(4);
    for (int k = 0; k < 5; ++k) {
      const Bytes bytes = 4_MB * draw(10);
      const Kind kind = k % 3 == 0   ? Kind::all_reduce
                        : k % 3 == 1 ? Kind::all_gather
                                     : Kind::reduce_scatter;
      for (std::size_t rank = 0; rank < 4; ++rank) {
        compute(programs[rank], "work", 100_us * draw(10));
        programs[rank].add("collective", {.kind = OperationKind::collective,
                                          .collective = kind,
                                          .stream = programs[rank].stream("compute"),
                                          .bytes = bytes});
      }
    }
    const auto cluster = i % 2 == 0 ? single_switch(4, 1) : single_switch(2, 2);
    const Workload workload = programs.workload();
    const auto flow = run(cluster, workload), every = run(cluster, workload, packets(cluster));
    EXPECT_NEAR(every.total.seconds(), flow.total.seconds(), 0.02 * flow.total.seconds()) << i;
    ASSERT_EQ(every.link_loads.size(), flow.link_loads.size());
    for (std::size_t l = 0; l < flow.link_loads.size(); ++l)
      EXPECT_NEAR(every.link_loads[l].bytes, flow.link_loads[l].bytes,
                  1e-3 * flow.link_loads[l].bytes);
  }
}

TEST(WorkloadRun, RefusesFewerGpusThanRanks) {
  const auto cluster = single_switch(2, 1);
  const Workload workload = pipeline(4, 1, Bytes());
  const std::vector<Rank> gpus{Rank(0), Rank(1)};
  EXPECT_THROW((void)run_workload(cluster, workload, gpus, options(cluster)), InputError);
}

TEST(WorkloadRun, JobsSideBySideShareLinksFromTheirArrivalOn) {
  // Two jobs that send 100 MB from GPU 0 and 1 of a node through one uplink of a leaf (4:1)...
  // here: each job is a message from node 0 to node 1 over the NIC of its GPU; they share nothing.
  RankPrograms programs(2);
  message(programs[0], OperationKind::send, "s", 1, 100_MB);
  message(programs[1], OperationKind::receive, "s", 0, 100_MB);
  const Workload job = programs.workload();
  const std::vector<collectives::WorkloadJob> jobs{{job, "a", Time()}, {job, "b", 1_ms}};
  const Workload both = side_by_side(jobs);
  // Nodes 0, 1 | 2, 3 on two leaves of 2 nodes with one uplink (2:1): 0 -> 2 and 1 -> 3 share it.
  const auto cluster = testing::cluster(4, 1, leaf_spine(2, 2.0));
  const std::vector<Rank> gpus{Rank(0), Rank(2), Rank(1), Rank(3)};
  const auto result = run_workload(cluster, both, gpus, options(cluster));
  // As two messages on one NIC: 3 ms and 4 ms.
  EXPECT_EQ(ran(result, 0, 0).end, 3_ms);
  EXPECT_EQ(ran(result, 2, 1).end, 4_ms);
}

}  // namespace
}  // namespace railyard::sim
