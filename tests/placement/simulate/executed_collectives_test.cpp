#include "placement/simulate/executed_collectives.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "placement/cost/closed_form.hpp"
#include "placement/simulate/verify_search.hpp"
#include "tests/placement/engine_of_rings.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;
using namespace topology::testing;

/// Every task takes a microsecond per task that runs beside it, and it remembers what it was asked.
class Counting final : public collectives::Executor {
 public:
  std::string_view name() const override { return "counting"; }
  collectives::Run run(std::span<const collectives::Task> tasks) override {
    collectives::Run run;
    for (const auto& task : tasks) {
      asked.push_back(task.schedule->collective());
      run.tasks.push_back({.start = Time(),
                           .finish = Time::microseconds(static_cast<std::int64_t>(tasks.size())),
                           .bound_by = {}});
    }
    ++runs;
    return run;
  }
  std::vector<collectives::Collective> asked;
  int runs = 0;
};

struct Bench {
  topology::Cluster cluster = small_cluster(leaf_spine(2), 4, 4);
  Counting counting;
  Engine engine = engine_of_rings(cluster, counting);
  ClosedForm otherwise{{.gpus_per_node = 4, .nvlink = 100_GBps, .nics = 100_GBps, .nic_count = 4}};
  Strategy strategy{.tp = 2, .pp = 2, .dp = 4};
  GroupShapes shapes = group_shapes(strategy, kDefaultOrder, 4);
  std::shared_ptr<GroupRuns> runs = std::make_shared<GroupRuns>(engine);
  [[nodiscard]] ExecutedCollectives executed() const {
    Mapping mapping;
    for (std::size_t r = 0; r < 16; ++r) mapping.gpus.emplace_back(r);
    return {runs, otherwise, strategy, mapping};
  }
  [[nodiscard]] Time time(Kind kind, GroupRole role, double bytes = 1e6) const {
    return executed().time({kind, role, shapes[role], bytes});
  }
};

// 16 ranks, tp 2, dp 4: of 4 nodes alike one stands for all, with two groups of tp; dp has 4 groups
// (of every second rank of a stage) that cross nodes: all four run.
TEST(ExecutedCollectives, RunAllGroupsOfADimensionTogether) {
  Bench b;
  EXPECT_EQ(b.time(Kind::all_reduce, GroupRole::tensor), 2_us);
  EXPECT_EQ(b.time(Kind::all_reduce, GroupRole::data), 4_us);
  // pp: 8 pairs, each over two nodes.
  EXPECT_EQ(b.time(Kind::send_recv, GroupRole::pipeline), 8_us);
}

// An odd node is run beside the one that stands for the three others: four groups of tp.
TEST(ExecutedCollectives, RunWhatIsInsideANodeThatIsNotLikeTheOthers) {
  Bench b;
  b.engine.odd_nodes = {NodeId(2)};
  EXPECT_EQ(b.time(Kind::all_reduce, GroupRole::tensor), 4_us);
}

TEST(ExecutedCollectives, AskOnceForWhatIsKnown) {
  Bench b;
  for (int i = 0; i < 3; ++i) (void)b.time(Kind::all_reduce, GroupRole::tensor);
  EXPECT_EQ(b.counting.runs, 1);
  EXPECT_EQ(b.runs->runs(), 1u);
  (void)b.time(Kind::all_gather, GroupRole::tensor);
  EXPECT_EQ(b.counting.runs, 2);
  // Other bytes in whole elements of every rank: 7 bytes of 2 ranks are 2 elements of 2 bytes each.
  (void)b.time(Kind::all_reduce, GroupRole::tensor, 7);
  EXPECT_EQ(b.counting.asked.back().bytes, Bytes(8));
}

/// An engine without a path.
class Refusing final : public collectives::Executor {
 public:
  std::string_view name() const override { return "refusing"; }
  collectives::Run run(std::span<const collectives::Task> /*tasks*/) override {
    throw InputError("", "", "no path");
  }
};

// A run that was refused is no answer: it is refused again.
TEST(ExecutedCollectives, RefuseAgainWhatTheEngineRefused) {
  Bench b;
  Refusing refusing;
  const Engine engine = engine_of_rings(b.cluster, refusing);
  b.runs = std::make_shared<GroupRuns>(engine);
  EXPECT_THROW((void)b.time(Kind::all_reduce, GroupRole::data), InputError);
  EXPECT_THROW((void)b.time(Kind::all_reduce, GroupRole::data), InputError);
}

// Without context parallelism there are no such groups.
TEST(ExecutedCollectives, LeaveRolesWithoutGroupsToTheFormula) {
  Bench b;
  const GroupCollective other{Kind::all_reduce, GroupRole::context, {.size = 3}, 1e6};
  EXPECT_EQ(b.executed().time(other), b.otherwise.time(other));
  EXPECT_EQ(b.counting.runs, 0);
  EXPECT_EQ(b.executed().time({Kind::all_reduce, GroupRole::tensor, {.size = 1}, 1e6}), Time());
}

// Groups of one shape are told apart by their role: with ep 2 over the two tensor ranks, tensor and
// expert groups are alike, and the shards of ZeRO without shard groups are the replicas.
TEST(ExecutedCollectives, AskForTheGroupsOfARole) {
  Bench b;
  b.strategy = {.tp = 2, .dp = 8, .ep = 2, .zero = 1};
  b.shapes = group_shapes(b.strategy, kDefaultOrder, 4);
  EXPECT_EQ(b.shapes.tp, b.shapes.ep);
  EXPECT_EQ(b.time(Kind::all_reduce, GroupRole::tensor),
            b.time(Kind::all_reduce, GroupRole::expert));
  const int runs = b.counting.runs;
  EXPECT_EQ(b.time(Kind::all_reduce, GroupRole::data), b.time(Kind::all_reduce, GroupRole::shard));
  EXPECT_EQ(b.counting.runs, runs + 1);
}

struct Step {
  Job job;
  Processor gpu = read_processor("a100_sxm_80");
  Step() {
    job.name = "small";
    job.model = read_model("megatron_1.7b");
    job.batch = 16;
    job.sequence = 2048;
  }
};

TEST(VerifySearch, OrdersByWhatTheEngineFound) {
  Bench b;
  Step step;
  const TypeContext context{
      .job = step.job, .gpu = step.gpu, .communication = b.otherwise, .gpus_per_node = 4};
  const auto candidate = [&](Strategy s) { return score(context, s); };
  // The engine takes microseconds for whatever: the one without a pipeline's bubble is faster.
  const std::vector<ScoredStrategy> candidates{candidate({.pp = 4, .dp = 4}),
                                               candidate({.dp = 16})};
  const auto identity = [](const Strategy& s) {
    Mapping mapping;
    for (int r = 0; r < s.gpus(); ++r) mapping.gpus.emplace_back(r);
    return std::vector{mapping};
  };
  const auto found =
      verify_search({.context = context, .engine = b.engine, .mappings = identity}, candidates);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].scored.strategy.dp, 16);
  ASSERT_TRUE(found[0].simulated && found[1].simulated);
  EXPECT_LT(found[0].simulated->total, found[1].simulated->total);
  EXPECT_GT(found[0].simulated->dp, Time());
  // Stopped before the first: nothing was run, and the order stays.
  const auto stopped = verify_search({.context = context,
                                      .engine = b.engine,
                                      .mappings = identity,
                                      .keep_going = [](double) { return false; }},
                                     candidates);
  EXPECT_FALSE(stopped[0].simulated);
  EXPECT_EQ(stopped[0].scored.strategy.pp, 4);
}

// Tensor groups of neighbours stay in nodes, of which one stands for all: 2 tasks. In the other
// mapping they cross nodes, and all 8 groups run, at a microsecond each.
TEST(VerifySearch, TakesTheFastestOfTheMappings) {
  Bench b;
  Step step;
  const TypeContext context{
      .job = step.job, .gpu = step.gpu, .communication = b.otherwise, .gpus_per_node = 4};
  const std::vector<ScoredStrategy> candidates{score(context, {.tp = 2, .dp = 8})};
  const auto found = verify_search({.context = context,
                                    .engine = b.engine,
                                    .mappings =
                                        [](const Strategy&) {
                                          Mapping apart, together;
                                          for (std::uint32_t r = 0; r < 16; ++r) {
                                            apart.gpus.emplace_back(r % 4 * 4 + r / 4);
                                            together.gpus.emplace_back(r);
                                          }
                                          return std::vector{apart, together};
                                        }},
                                   candidates);
  EXPECT_EQ(found[0].mapping, 1u);
}

TEST(VerifySearch, KeepsWhatCannotRunWithTheReason) {
  Bench b;
  Step step;
  const TypeContext context{
      .job = step.job, .gpu = step.gpu, .communication = b.otherwise, .gpus_per_node = 4};
  b.engine.schedule = [](const auto&, const auto&) -> collectives::Schedule {
    throw InputError("", "--algorithm", "no way");
  };
  const std::vector<ScoredStrategy> candidates{score(context, {.dp = 16})};
  const auto found = verify_search({.context = context,
                                    .engine = b.engine,
                                    .mappings =
                                        [](const Strategy&) {
                                          Mapping mapping;
                                          for (int r = 0; r < 16; ++r) mapping.gpus.emplace_back(r);
                                          return std::vector{mapping};
                                        }},
                                   candidates);
  EXPECT_FALSE(found[0].simulated);
  EXPECT_NE(found[0].why_not.find("no way"), std::string::npos);
}

}  // namespace
}  // namespace railyard::placement
