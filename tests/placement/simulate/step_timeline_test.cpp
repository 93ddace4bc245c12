#include "placement/simulate/step_timeline.hpp"

#include <gtest/gtest.h>

#include <map>

#include "placement/cost/closed_form.hpp"
#include "placement/simulate/step_run.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

struct Problem {
  Job job;
  Processor gpu = read_processor("a100_sxm_80");
  ClosedForm model{
      {.gpus_per_node = 8, .nvlink = 240_GBps, .nics = 200_GBps, .nic_count = 8, .overheads = {}}};
  Problem() {
    job.model = read_model("megatron_7.5b");
    job.batch = 64;
    job.sequence = 2048;
  }
  TypeContext context() {
    return {.job = job, .gpu = gpu, .communication = model, .gpus_per_node = 8};
  }
};

/// By stage: how often something happens, and for how long.
std::map<std::pair<int, std::string>, std::pair<int, Time>> tally(
    const std::vector<StepEvent>& events) {
  std::map<std::pair<int, std::string>, std::pair<int, Time>> found;
  for (const StepEvent& e : events) {
    auto& [count, time] = found[{e.stage, e.what}];
    ++count;
    time += e.end - e.begin;
  }
  return found;
}

// 64 sequences over 2 replicas: 32 micro-batches through 4 stages. The first stage sends forward
// only, the last back only, the others both. Backward, the tensor group's sums hide behind the
// gradients of weights; those of the layers that are recomputed do not.
TEST(StepTimeline, HasEveryPassOfEveryStage) {
  Problem p;
  const Strategy s{.tp = 4, .pp = 4, .dp = 2, .recompute = Recompute::full};
  const auto found = tally(step_timeline(p.context(), s));
  for (int stage = 0; stage < 4; ++stage) {
    EXPECT_EQ(found.at({stage, "F"}).first, 32);
    EXPECT_EQ(found.at({stage, "B"}).first, 32);
    EXPECT_EQ(found.at({stage, "tp"}).first, 64);
    EXPECT_EQ(found.at({stage, "send"}).first, stage == 0 || stage == 3 ? 32 : 64);
    EXPECT_EQ(found.at({stage, "gradients"}).first, 1);
  }
}

// What is computed and what is exposed on the slowest stage is what the cost by formula says.
TEST(StepTimeline, AddsUpToTheCost) {
  Problem p;
  const Strategy s{.tp = 4, .pp = 4, .dp = 2, .recompute = Recompute::full};
  const TypeContext context = p.context();
  const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
  const StepCost cost = step_cost(context, s, shapes, block_costs(context, s, shapes));
  const auto events = step_timeline(context, s);
  auto found = tally(events);
  Time most;
  for (int stage = 0; stage < 4; ++stage)
    most = std::max(most, found[{stage, "F"}].second + found[{stage, "B"}].second +
                              found[{stage, "tp"}].second);
  EXPECT_EQ(most, cost.compute + cost.tp);
  // The last event ends with the step; the formula is within 2 % of passes one by one.
  Time end;
  for (const StepEvent& e : events) end = std::max(end, e.end);
  EXPECT_NEAR(end.seconds(), cost.total.seconds(), 0.02 * cost.total.seconds());
}

TEST(StepTimeline, NothingOverlapsOnAStagesComputeStream) {
  Problem p;
  const Strategy s{.tp = 2,
                   .pp = 4,
                   .dp = 4,
                   .interleave = 3,
                   .schedule = PipelineSchedule::interleaved,
                   .pp_overlap = true};
  std::map<int, Time> free;
  for (const StepEvent& e : step_timeline(p.context(), s)) {
    if (e.stream != StepStream::compute) continue;
    EXPECT_GE(e.begin, free[e.stage]);
    free[e.stage] = e.end;
  }
  EXPECT_EQ(free.size(), 4u);
}

// On every stream one thing after another, for every schedule and with all overlaps; the last ends
// with the step.
TEST(StepTimeline, NothingOverlapsOnAStream) {
  Problem p;
  const std::vector<Strategy> strategies{
      {.tp = 2, .pp = 4, .dp = 4, .zero = 1, .dp_overlap = true, .pp_overlap = true},
      {.tp = 2, .pp = 2, .dp = 8, .zero = 3, .dp_overlap = true},
      {.tp = 2, .pp = 4, .dp = 4, .schedule = PipelineSchedule::zero_bubble, .dp_overlap = true},
      {.tp = 2, .pp = 4, .dp = 4, .zero = 1, .schedule = PipelineSchedule::dualpipe},
      {.tp = 2,
       .pp = 4,
       .dp = 4,
       .interleave = 3,
       .schedule = PipelineSchedule::interleaved,
       .dp_overlap = true,
       .pp_overlap = true}};
  for (const Strategy& s : strategies) {
    const TypeContext context = p.context();
    const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
    std::map<std::pair<int, StepStream>, Time> free;
    Time end;
    for (const StepEvent& e : step_timeline(context, s)) {
      Time& until = free[{e.stage, e.stream}];
      EXPECT_GE(e.begin, until) << e.stage << " " << name_of(e.stream) << " " << e.what;
      until = e.end;
      end = std::max(end, e.end);
    }
    EXPECT_EQ(end, run_step(context, s, shapes, block_costs(context, s, shapes)).total);
  }
}

TEST(StepTimeline, ShowsFewerMicroBatchesOfALongStep) {
  Problem p;
  const Strategy s{.tp = 4, .pp = 4, .dp = 2};
  EXPECT_EQ(tally(step_timeline(p.context(), s, 9)).at({0, "F"}).first, 8);
  EXPECT_EQ(tally(step_timeline(p.context(), s, 1)).at({0, "F"}).first, 4);
}

TEST(StepTimeline, IsATraceWithATrackForEachStream) {
  const std::vector<StepEvent> events{
      {.stage = 1, .what = "F", .micro_batch = 3, .chunk = 5, .end = 2_us},
      {.stage = 1,
       .stream = StepStream::replicas,
       .what = "gradients",
       .begin = 2_us,
       .end = 3_us}};
  const auto trace = trace_events(events);
  EXPECT_EQ(trace[0].track, "stage 1 / compute");
  EXPECT_EQ(trace[0].name, "F 3 (chunk 5)");
  EXPECT_EQ(trace[1].track, "stage 1 / replicas");
  EXPECT_EQ(trace[1].name, "gradients");
}

}  // namespace
}  // namespace railyard::placement
