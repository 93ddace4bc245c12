#include "apps/place/whole_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "apps/place/place_engine.hpp"
#include "apps/place/read_problem.hpp"
#include "collectives/workload/check_workload.hpp"
#include "collectives/workload/workload_json.hpp"
#include "core/config/text_file.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "placement/jobs/mapper.hpp"
#include "placement/measured/whole_step.hpp"
#include "placement/simulate/steady_rounds.hpp"
#include "placement/simulate/step_workload.hpp"
#include "placement/simulate/verify_search.hpp"
#include "placement/simulate/whole_step.hpp"
#include "placement/simulate/whole_step_timeline.hpp"
#include "tests/apps/command_result.hpp"

namespace railyard::apps::testing {
namespace {

Ended place(const std::string& arguments) {
  return run_in_shell("cd " RAILYARD_SOURCE_DIR " && " RAILYARD_EXECUTABLE " place " + arguments +
                      " 2>&1");
}

/// A strategy of Llama 3 8B on 8 nodes.
struct Llama {
  Provenance provenance;
  placement::GivenProblem given;
  explicit Llama(const std::string& strategy, const std::string& cluster = "dgx_h100_ndr400",
                 int batch = 256)
      : given(placement::read_given(
            {.fix = strategy},
            read_problem({.cluster = {.cluster = cluster, .nodes = 8, .gpus = {}, .ranks = {}},
                          .job = "llama3_8b",
                          .batch = batch},
                         provenance))) {}

  [[nodiscard]] const placement::Strategy& strategy() const { return given.strategy->strategy; }
  [[nodiscard]] collectives::Workload step() const {
    return placement::step_workload(given.problem.context(), strategy());
  }
  [[nodiscard]] placement::Mapping mapping() const {
    return placement::Mapper(given.problem, false).mappings(strategy()).front();
  }

  [[nodiscard]] placement::SimulatedStrategy verified(
      const placement::Engine& engine,
      std::uint64_t operations_in_full = placement::kOperationsInFull) const {
    const placement::CostContext context = given.problem.context();
    const placement::Mapper mapper(given.problem, false);
    const placement::ScoredStrategy scored = placement::score(context, given.strategy->strategy);
    return placement::verify_search(
               {.context = context,
                .engine = engine,
                .mappings = [&](const placement::Strategy& s) { return mapper.mappings(s); },
                .operations_in_full = operations_in_full},
               {&scored, 1})
        .front();
  }
};

class WholeStep : public ::testing::TestWithParam<const char*> {};

// Both take the same computation and the same algorithms; on rails of their own little is shared.
// What is left: a bucket of gradients has a latency of its own, a message that finds its way free
// takes its own time instead of the slowest pair's (docs/models/workload.md).
TEST_P(WholeStep, IsWithinOnePercentOfTheStepPassByPass) {
  const Llama llama(GetParam());
  for (const char* fidelity : {"analytic", "flow"}) {
    const auto engine = engines_of(fidelity)(llama.given.problem);
    const placement::Engine passes{.cluster = engine->cluster,
                                   .executor = engine->executor,
                                   .schedule = engine->schedule,
                                   .odd_nodes = engine->odd_nodes,
                                   .whole_steps = {},
                                   .why_no_steps = "for comparison"};
    const placement::SimulatedStrategy whole = llama.verified(*engine),
                                       parts = llama.verified(passes);
    ASSERT_TRUE(whole.simulated && parts.simulated) << whole.why_not << parts.why_not;
    EXPECT_TRUE(whole.as_workload);
    EXPECT_EQ(parts.why_passes, "for comparison");
    const double seconds = parts.simulated->total.seconds();
    EXPECT_NEAR(whole.simulated->total.seconds(), seconds, 0.01 * seconds) << fidelity;
    const placement::StepCost& cost = *whole.simulated;
    EXPECT_EQ(cost.compute + cost.exposed() + cost.bubble + cost.optimizer + cost.offload,
              cost.total);
    EXPECT_NEAR(cost.compute.seconds(), parts.simulated->compute.seconds(), 0.02 * seconds);
  }
}

// 256 sequences: 32 to 128 micro-batches per replica, of which 4 to 24 are simulated.
TEST_P(WholeStep, FollowsFromItsFirstMicroBatches) {
  const Llama llama(GetParam());
  const auto engine = engines_of("flow")(llama.given.problem);
  const placement::SimulatedStrategy whole = llama.verified(*engine),
                                     shorter = llama.verified(*engine, 0);
  ASSERT_TRUE(whole.simulated && shorter.simulated) << whole.why_not << shorter.why_not;
  const double seconds = whole.simulated->total.seconds();
  EXPECT_NEAR(shorter.simulated->total.seconds(), seconds, 1e-3 * seconds);
  EXPECT_NEAR(shorter.simulated->compute.seconds(), whole.simulated->compute.seconds(),
              2e-3 * seconds);
  EXPECT_NEAR(shorter.simulated->dp.seconds(), whole.simulated->dp.seconds(), 2e-3 * seconds);
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, WholeStep,
    ::testing::Values(
        "tp=8,dp=8,zero=1", "tp=8,dp=8,zero=1,sequence_parallel=true",
        "tp=8,pp=4,dp=2,zero=1,sequence_parallel=true",
        "tp=8,pp=4,dp=2,zero=1,sequence_parallel=true,pp_overlap=true,dp_overlap=true",
        "tp=8,pp=4,dp=2,zero=1,sequence_parallel=true,pp_overlap=true,dp_overlap=true,"
        "tp_overlap=true,interleave=2,schedule=interleaved",
        "tp=4,pp=2,dp=8,zero=3,dp_overlap=true", "tp=4,pp=2,dp=8,zero=2",
        "tp=4,pp=4,dp=4,zero=1,schedule=zero_bubble,pp_overlap=true",
        "tp=4,pp=4,dp=4,schedule=dualpipe", "tp=4,cp=2,pp=2,dp=4,zero=1"),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

// The faster of two is second: it has the only run that is kept, that of its simulated time.
TEST(WholeStepOfTheFastest, IsKept) {
  const Llama slow("tp=8,pp=4,dp=2,zero=1"), fast("tp=8,dp=8,zero=1");
  const placement::CostContext context = slow.given.problem.context();
  const auto engine = engines_of("flow")(slow.given.problem);
  const placement::Mapper mapper(slow.given.problem, false);
  const std::vector<placement::ScoredStrategy> candidates{
      placement::score(context, slow.given.strategy->strategy),
      placement::score(context, fast.given.strategy->strategy)};
  const auto found = placement::verify_search(
      {.context = context,
       .engine = *engine,
       .mappings = [&](const placement::Strategy& s) { return mapper.mappings(s); },
       .keeps_fastest = true},
      candidates);
  ASSERT_TRUE(found[0].simulated && found[1].simulated);
  EXPECT_EQ(found[0].scored.strategy, fast.given.strategy->strategy);
  ASSERT_TRUE(found[0].whole);
  EXPECT_EQ(found[0].whole->run.total, found[0].simulated->total);
  EXPECT_FALSE(found[1].whole);
}

// Gradients of data parallelism collide between the leaves of an ECMP fabric, and slow computation.
class LeastStep : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(LeastStep, IsNoLongerThanTheStep) {
  const auto& [cluster, strategy] = GetParam();
  const Llama llama(strategy, cluster, 64);
  const auto engine = engines_of("flow")(llama.given.problem);
  const collectives::Workload workload = llama.step();
  const placement::Mapping mapping = llama.mapping();
  const collectives::ReadyWorkload step = engine->whole_steps(workload, mapping.gpus);
  const Time whole = step.run(0).total, least = step.least(0).total;
  EXPECT_LE(least, whole);
  EXPECT_GT(least.seconds(), 0.5 * whole.seconds());
  if (llama.strategy().dp_overlap) {
    EXPECT_LT(least, whole);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, LeastStep,
    ::testing::Values(std::pair("dgx_h100_ndr400", "tp=8,pp=4,dp=2,zero=1"),
                      std::pair("clos_roce_24k", "tp=2,pp=2,dp=16,zero=1,dp_overlap=true"),
                      std::pair("clos_roce_24k",
                                "tp=4,pp=4,dp=4,zero=1,pp_overlap=true,"
                                "dp_overlap=true"),
                      std::pair("dgx_a100_hdr200", "dp=64,zero=3,dp_overlap=true")),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

// The least time of the slow one is above the step of the fast one.
TEST(OnlyTheFastest, IsSimulated) {
  const Llama slow("tp=8,pp=8,dp=1"), fast("tp=4,pp=2,dp=8,zero=1", "dgx_h100_ndr400");
  const placement::CostContext context = slow.given.problem.context();
  const auto engine = engines_of("flow")(slow.given.problem);
  const placement::Mapper mapper(slow.given.problem, false);
  const std::vector<placement::ScoredStrategy> candidates{
      placement::score(context, slow.given.strategy->strategy),
      placement::score(context, fast.given.strategy->strategy)};
  placement::VerifyRequest request{
      .context = context, .engine = *engine, .mappings = [&](const placement::Strategy& s) {
        return mapper.mappings(s);
      }};
  const auto both = placement::verify_search(request, candidates);
  request.only_fastest = true;
  const auto found = placement::verify_search(request, candidates);
  ASSERT_TRUE(found[0].simulated && both[0].simulated && both[1].simulated);
  EXPECT_EQ(found[0].scored.strategy, fast.given.strategy->strategy);
  EXPECT_EQ(found[0].simulated->total, both[0].simulated->total);
  EXPECT_EQ(found[0].why_not, "");
  EXPECT_FALSE(found[1].simulated);
  EXPECT_EQ(found[1].why_not, "its least time is above the fastest step");
}

TEST(WholeStepFile, IsAWorkloadThatEnds) {
  const std::string file = ::testing::TempDir() + "step.workload.json";
  const Ended ran = place(
      "--cluster dgx_h100_ndr400 --nodes 2 --job llama3_8b --batch 16 --verify 0 --fix "
      "tp=4,pp=2,dp=2,zero=1,dp_overlap=true --workload " +
      file);
  ASSERT_EQ(ran.code, 0) << ran.text;
  const collectives::Workload workload =
      collectives::read_workload(core::read_text_file(file), file);
  EXPECT_EQ(workload.ranks(), 16u);
  EXPECT_EQ(workload.roles().size(), 2u);
  EXPECT_TRUE(collectives::check_workload(workload).empty());
}

// The file has repeats and `like`, and every operation of the step that is read back begins and
// ends as in the step that was written.
TEST(WholeStepFile, RunsAsTheStepThatWasWritten) {
  for (const char* strategy :
       {"tp=4,pp=4,dp=4,zero=1", "tp=4,pp=4,dp=4,zero=1,interleave=2,schedule=interleaved"}) {
    const Llama llama(strategy);
    const auto engine = engines_of("flow")(llama.given.problem);
    const placement::Mapper mapper(llama.given.problem, false);
    const placement::Strategy& s = llama.given.strategy->strategy;
    const auto gpus = mapper.mappings(s).front().gpus;
    const collectives::Workload step = placement::step_workload(llama.given.problem.context(), s);
    const std::string text = collectives::write_workload(step);
    EXPECT_THAT(text, ::testing::HasSubstr("\"times\": "));
    EXPECT_THAT(text, ::testing::HasSubstr("\"like\": "));
    const auto written = engine->whole_steps(step, gpus).run(0);
    const auto read =
        engine->whole_steps(collectives::read_workload(text, "step.json"), gpus).run(0);
    EXPECT_EQ(read.total, written.total);
    ASSERT_EQ(read.classes.size(), written.classes.size());
    for (std::size_t c = 0; c < read.classes.size(); ++c) {
      ASSERT_EQ(read.classes[c].operations.size(), written.classes[c].operations.size());
      for (std::size_t i = 0; i < read.classes[c].operations.size(); ++i) {
        EXPECT_EQ(read.classes[c].operations[i].begin, written.classes[c].operations[i].begin);
        EXPECT_EQ(read.classes[c].operations[i].end, written.classes[c].operations[i].end);
      }
    }
  }
}

/// The same workload, whose collectives start at once.
collectives::Workload without_starts(const collectives::Workload& w) {
  collectives::Workload::Parts parts{.ranks = w.ranks(),
                                     .names = {w.names().begin(), w.names().end()},
                                     .families = {w.families().begin(), w.families().end()},
                                     .programs = {w.programs().begin(), w.programs().end()},
                                     .roles = {w.roles().begin(), w.roles().end()}};
  for (collectives::Program& program : parts.programs)
    for (collectives::Operation& its : program.operations)
      if (its.kind == collectives::OperationKind::collective) its.duration = Time();
  return collectives::Workload(std::move(parts));
}

// Of 256 sequences a replica of eight has 32. With sequence parallelism a layer has 4 collectives
// forward and 6 backward, the embedding 1 and 1, the head 1 and 2: 32 x 10 + 5 = 325 of 24 us each
// on Blackwell, in 32 micro-batches 249.6 ms. Gradients' do not block. On Hopper none has a start.
TEST(WholeStep, CollectivesThatBlockBlackwellStartLate) {
  for (const auto& [cluster, later] :
       {std::pair("dgx_b200_ndr400", Time::microseconds(24 * 325 * 32)),
        std::pair("dgx_h100_ndr400", Time())}) {
    const Llama llama("tp=8,dp=8,sequence_parallel=true", cluster);
    const auto engine = engines_of("flow")(llama.given.problem);
    const auto gpus = llama.mapping().gpus;
    const collectives::Workload step = llama.step();
    const Time total = engine->whole_steps(step, gpus).run(0).total;
    const collectives::Workload at_once = without_starts(step);
    EXPECT_EQ(total - engine->whole_steps(at_once, gpus).run(0).total, later) << cluster;
  }
}

// 256 sequences over 4 replicas are 64 micro-batches through 4 stages. Stage 0 sends forward only,
// stage 3 back only. A stage's passes compute as long as its operations.
TEST(WholeStepTimeline, HasEveryPassOfEveryStage) {
  const Llama llama("tp=4,pp=4,dp=4,zero=1");
  const placement::Strategy& s = llama.given.strategy->strategy;
  const auto engine = engines_of("flow")(llama.given.problem);
  const placement::Mapper mapper(llama.given.problem, false);
  const collectives::Workload workload = placement::step_workload(llama.given.problem.context(), s);
  const auto run = engine->whole_steps(workload, mapper.mappings(s).front().gpus).run(0);
  std::map<std::pair<int, std::string>, int> count;
  std::map<int, Time> computing;
  for (const placement::StepEvent& e : placement::whole_step_timeline(s, workload, run)) {
    ++count[{e.stage, e.what}];
    if (e.stream == placement::StepStream::compute) computing[e.stage] += e.end - e.begin;
    EXPECT_LE(e.end, run.total);
  }
  for (int stage = 0; stage < 4; ++stage) {
    EXPECT_EQ((count[{stage, "F"}]), 64);
    EXPECT_EQ((count[{stage, "B"}]), 64);
    EXPECT_EQ((count[{stage, "tp"}]), 128);
    EXPECT_EQ((count[{stage, "send"}]), stage == 0 || stage == 3 ? 64 : 128);
    EXPECT_EQ((count[{stage, "gradients"}]), 1);
    EXPECT_EQ((count[{stage, "weights"}]), 1);
    EXPECT_EQ((count[{stage, "optimizer"}]), 1);
  }
  for (const collectives::RankClassRun& ranks : run.classes) {
    const double seconds = rank_times(workload, ranks).compute.seconds();
    EXPECT_NEAR(computing[static_cast<int>(ranks.role)].seconds(), seconds, 1e-6 * seconds);
  }
}

TEST(WholeStepLimit, LargeStepsAreSimulatedPassByPass) {
  const Llama llama("tp=8,dp=8,zero=1");
  const auto engine = engines_of("flow")(llama.given.problem);
  placement::Engine small{.cluster = engine->cluster,
                          .executor = engine->executor,
                          .schedule = engine->schedule,
                          .odd_nodes = engine->odd_nodes,
                          .whole_steps = {},
                          .why_no_steps = {}};
  small.whole_steps = [&](const collectives::Workload& workload, std::span<const Rank> gpus) {
    const auto run = engine->whole_steps(workload, gpus).run;
    return collectives::ReadyWorkload{.run =
                                          [run](std::uint64_t most) {
                                            EXPECT_EQ(most, placement::kMostOperationsOfOne);
                                            return run(1000);
                                          },
                                      .least = {}};
  };
  const placement::SimulatedStrategy one = llama.verified(small);
  ASSERT_TRUE(one.simulated);
  EXPECT_FALSE(one.as_workload);
  EXPECT_THAT(one.why_passes, ::testing::HasSubstr("above the limit"));
}

TEST(MeasuredStep, IsSimulatedAsOneWorkloadOnTheFewestNodes) {
  const Llama llama("tp=8,dp=8,zero=1");
  const auto engine = engines_of("flow")(llama.given.problem);
  const placement::TrainingRun run{.cluster = "dgx_h100_ndr400",
                                   .job = llama.given.problem.job,
                                   .strategy = llama.given.strategy->strategy,
                                   .gpus = 64};
  const auto step = placement::whole_step(run, engines_of("flow"));
  ASSERT_TRUE(step.time) << step.why_not;
  EXPECT_EQ(*step.time, llama.verified(*engine).simulated->total);
}

/// The step of the first micro-batches, with the rounds that it leaves out.
struct FirstRounds {
  placement::StepCost cost{};
  placement::ExtrapolatedRounds left_out{};
};

FirstRounds first_rounds(const Llama& llama, const placement::Engine& engine,
                         const placement::Mapping& mapping) {
  const placement::CostContext context = llama.given.problem.context();
  const placement::Strategy& s = llama.given.strategy->strategy;
  const int all = placement::micro_batches(llama.given.problem.job.batch, s);
  const int first = placement::shown_micro_batches(all, placement::micro_batches_for_rounds(s), s);
  EXPECT_LE(2 * first, all);
  const collectives::Workload workload = placement::step_workload(context, s, first);
  const auto run = engine.whole_steps(workload, mapping.gpus).run(0);
  const auto left_out = placement::rounds_left_out(s, workload, run, all - first);
  if (!left_out) throw std::logic_error("no rounds");
  return {.cost = placement::whole_step_cost(workload, run, placement::score(context, s).step,
                                             *left_out),
          .left_out = *left_out};
}

class StepInPart : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

// The rounds of the first micro-batches stand for the others. Without collisions they repeat to the
// rounding of their lengths. With ECMP every pipeline has rounds of its own, and their sends meet
// anew in each: up to a half of the limit on their difference.
TEST_P(StepInPart, TakesAsLongAsTheWholeStep) {
  const auto& [cluster, strategy] = GetParam();
  const Llama llama(strategy, cluster, 512);
  const auto engine = engines_of("flow")(llama.given.problem);
  const placement::Mapping mapping = llama.mapping();
  const collectives::Workload workload = llama.step();
  const auto run = engine->whole_steps(workload, mapping.gpus).run(0);
  const auto by_formula = placement::score(llama.given.problem.context(), llama.strategy()).step;
  const auto whole = placement::whole_step_cost(workload, run, by_formula);
  const FirstRounds part = first_rounds(llama, *engine, mapping);
  EXPECT_LE(part.left_out.difference, placement::kMostDifference);
  const double seconds = whole.total.seconds();
  EXPECT_NEAR(part.cost.total.seconds(), seconds, 0.5 * placement::kMostDifference * seconds);
  EXPECT_NEAR(part.cost.compute.seconds(), whole.compute.seconds(), 2e-3 * seconds);
  EXPECT_NEAR(part.cost.tp.seconds(), whole.tp.seconds(), 2e-3 * seconds);
  EXPECT_EQ(part.cost.compute + part.cost.exposed() + part.cost.bubble + part.cost.optimizer +
                part.cost.offload,
            part.cost.total);
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, StepInPart,
    ::testing::Values(
        std::pair("dgx_h100_ndr400", "tp=4,pp=4,dp=4,zero=1,pp_overlap=true,dp_overlap=true"),
        std::pair("dgx_h100_ndr400",
                  "tp=8,pp=4,dp=2,zero=1,interleave=2,schedule=interleaved,dp_overlap=true"),
        std::pair("dgx_h100_ndr400", "tp=4,pp=2,dp=8,zero=3,dp_overlap=true"),
        std::pair("dgx_h100_ndr400", "tp=8,dp=8,zero=1"),
        std::pair("dgx_h100_ndr400", "tp=4,pp=4,dp=4,zero=1,schedule=zero_bubble"),
        std::pair("hgx_h200_roce400", "tp=4,pp=4,dp=4,zero=1,pp_overlap=true,dp_overlap=true")),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(WholeStepFile, PacketSimulationDoesNotRunWholeSteps) {
  const Ended ran = place(
      "--cluster dgx_h100_ndr400 --nodes 2 --job llama3_8b --batch 16 --verify 0 --fix "
      "tp=4,pp=2,dp=2 --whole-step --fidelity packet");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.text,
              ::testing::HasSubstr("whole steps are simulated with --fidelity flow or analytic"));
}

}  // namespace
}  // namespace railyard::apps::testing
