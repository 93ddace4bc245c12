#include "placement/simulate/contention.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/step.hpp"
#include "tests/placement/engine_of_rings.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;
using namespace topology::testing;

/// Every task takes a microsecond per task that runs beside it, over a link of the tensor groups'
/// own or one that all others share.
class OneLink final : public collectives::Executor {
 public:
  explicit OneLink(const topology::Cluster& cluster) : cluster_(cluster) {}
  std::string_view name() const override { return "one link"; }
  collectives::Run run(std::span<const collectives::Task> tasks) override {
    collectives::Run run;
    for (const auto& task : tasks) {
      run.tasks.push_back({.start = Time(),
                           .finish = Time::microseconds(static_cast<std::int64_t>(tasks.size())),
                           .bound_by = {}});
      const auto& group = task.schedule->group();
      const bool inside =
          cluster_.node_of(group.rank(0)) == cluster_.node_of(group.rank(group.size() - 1));
      const topology::LinkKind kind =
          inside && !shared ? topology::LinkKind::nvlink : topology::LinkKind::port;
      run.link_loads.push_back({.link = first_of(kind), .bytes = 1, .busy = 1_us});
    }
    runs.push_back(tasks.size());
    return run;
  }
  bool shared = false;
  std::vector<std::size_t> runs;

 private:
  [[nodiscard]] LinkId first_of(topology::LinkKind kind) const {
    for (std::uint32_t l = 0; l < cluster_.link_count(); ++l)
      if (cluster_.link(LinkId(l)).kind == kind) return LinkId(l);
    return LinkId::none();
  }
  const topology::Cluster& cluster_;
};

struct Bench {
  topology::Cluster cluster = small_cluster(leaf_spine(2), 4, 4);
  OneLink executor{cluster};
  Engine engine = engine_of_rings(cluster, executor);
  ClosedForm otherwise{{.gpus_per_node = 4, .nvlink = 100_GBps, .nics = 100_GBps, .nic_count = 4}};
  Strategy strategy;
  GroupShapes shapes;
  Job job;
  Processor gpu = read_processor("a100_sxm_80");
  TypeContext context{.job = job, .gpu = gpu, .communication = otherwise, .gpus_per_node = 4};
  std::unique_ptr<ExecutedCollectives> executed;
  std::unique_ptr<ContendedCollectives> contended;

  explicit Bench(const Strategy& its) : strategy(its), shapes(group_shapes(its, kDefaultOrder, 4)) {
    job.name = "small";
    job.model = read_model("megatron_1.7b");
    job.batch = 32;
    job.sequence = 2048;
    Mapping mapping;
    for (std::size_t r = 0; r < 16; ++r) mapping.gpus.emplace_back(r);
    executed = std::make_unique<ExecutedCollectives>(std::make_shared<GroupRuns>(engine), otherwise,
                                                     its, mapping);
  }
  void meet(Time pass) {
    contended = std::make_unique<ContendedCollectives>(
        *executed, context, strategy, shapes,
        ConcurrentPasses{micro_batches(job.batch, strategy), pass});
  }
  [[nodiscard]] PassLoads loads() const {
    return pass_loads(context, strategy, shapes, micro_batches(job.batch, strategy));
  }
  [[nodiscard]] Time time(Kind kind, GroupRole role) const {
    return contended->time({kind, role, shapes[role], 1e6});
  }
  [[nodiscard]] Time hop() const { return time(Kind::send_recv, GroupRole::pipeline); }
  [[nodiscard]] Time tensor() const { return time(Kind::all_reduce, GroupRole::tensor); }
};

// tp 2 in nodes (2 groups stand for 8: 2 us alone), pp 2 over nodes (8 pairs: 8 us alone). All 16
// together take 16 us, of a pass of 32 us a half: half of what each takes longer counts.
TEST(Contention, DimensionsOnOneLinkSlowEachOtherForTheShareOfThePassTheyLast) {
  const Strategy s{.tp = 2, .pp = 2, .dp = 4};
  Bench b(s);
  b.executor.shared = true;
  b.meet(32_us);
  EXPECT_EQ(b.executor.runs.back(), 16u);
  EXPECT_EQ(b.tensor(), 9_us);  // 2 us x (1 + (16 / 2 - 1) / 2)
  EXPECT_EQ(b.hop(), 12_us);    // 8 us x (1 + (16 / 8 - 1) / 2)
  ASSERT_EQ(b.contended->slowdowns().size(), 2u);
  EXPECT_EQ(b.contended->slowdowns()[0].dimension, "pp");
  EXPECT_DOUBLE_EQ(b.contended->slowdowns()[0].factor, 1.5);
  // A pass shorter than what runs in it: it all counts.
  b.meet(10_us);
  EXPECT_EQ(b.hop(), 16_us);
}

TEST(Contention, DimensionsOnLinksOfTheirOwnAreNotRunTogether) {
  const Strategy s{.tp = 2, .pp = 2, .dp = 4};
  Bench b(s);
  b.meet(10_us);
  EXPECT_EQ(b.hop(), 8_us);
  EXPECT_EQ(b.tensor(), 2_us);
  EXPECT_TRUE(b.contended->slowdowns().empty());
  for (const std::size_t tasks : b.executor.runs) EXPECT_LE(tasks, 8u);
}

// Without tp: pp has 8 pairs (8 us), dp 2 groups of 8 (2 us); both together 10 us. Gradients run
// beside the last of the 4 micro-batches' passes: a send is slowed in that one of four, gradients
// by all of it.
TEST(Contention, GradientsMeetTheSendsOfTheLastPass) {
  Strategy s{.pp = 2, .dp = 8};
  s.dp_overlap = true;
  Bench b(s);
  b.meet(10_us);
  EXPECT_EQ(b.hop(), Time::nanoseconds(8500));  // 8 us x (1 + (10 / 8 - 1) / 4)
  EXPECT_EQ(b.time(Kind::all_reduce, GroupRole::data), 10_us);
  // Reduced after the passes they meet nothing.
  b.strategy.dp_overlap = false;
  b.meet(10_us);
  EXPECT_EQ(b.hop(), 8_us);
}

// A layer of tp 2 without sequence parallelism: all_reduces behind attention and MLP, forward and
// backward: 4, each as two reduce_scatters of 2bsh. 24 layers on 2 stages; embeddings and heads
// are left out. A hop has 2bsh / 2.
TEST(Contention, APassCommunicatesWhatItsLayersDo) {
  const Strategy s{.tp = 2, .pp = 2, .dp = 4};
  Bench b(s);
  const PassLoads loads = b.loads();
  const double activations = 2.0 * 2048 * b.job.model.hidden;
  ASSERT_EQ(loads.blocking.size(), 1u);
  EXPECT_EQ(loads.blocking[0].kind, Kind::reduce_scatter);
  EXPECT_DOUBLE_EQ(loads.blocking[0].bytes, b.job.model.layers / 2 * 8 * activations);
  ASSERT_EQ(loads.hops.size(), 1u);
  EXPECT_DOUBLE_EQ(loads.hops[0].bytes, activations / 2);
  EXPECT_TRUE(loads.replicas.empty());
}

// Two chunks a rank: two messages for each micro-batch.
TEST(Contention, ChunksSendAsOftenAsThereAreOfThem) {
  const Strategy s{
      .tp = 2, .pp = 2, .dp = 4, .interleave = 2, .schedule = PipelineSchedule::interleaved};
  Bench b(s);
  EXPECT_DOUBLE_EQ(b.loads().hops.at(0).bytes, 2 * 2.0 * 2048 * b.job.model.hidden / 2);
}

}  // namespace
}  // namespace railyard::placement
