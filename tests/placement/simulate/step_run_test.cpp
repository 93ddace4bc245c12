#include "placement/simulate/step_run.hpp"

#include <gtest/gtest.h>

#include "placement/cost/closed_form.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

struct Problem {
  Job job;
  Processor gpu = read_processor("a100_sxm_80");
  ClosedForm model{
      {.gpus_per_node = 8, .nvlink = 240_GBps, .nics = 200_GBps, .nic_count = 8, .overheads = {}}};
  int gpus_per_node = 8;
  Problem() {
    job.model = read_model("megatron_7.5b");
    job.batch = 64;
    job.sequence = 2048;
  }
  struct Costs {
    StepCost formula, run;
  };
  Costs costs(const Strategy& s) {
    const TypeContext c{
        .job = job, .gpu = gpu, .communication = model, .gpus_per_node = gpus_per_node};
    const GroupShapes shapes = group_shapes(s, kDefaultOrder, gpus_per_node);
    const BlockCosts blocks = block_costs(c, s, shapes);
    return {step_cost(c, s, shapes, blocks), run_step_cost(c, s, shapes, blocks)};
  }
};

// Without stages and without overlap nothing is to be found out: passes, gradients, update.
TEST(StepRun, OfOneStageIsTheFormula) {
  Problem p;
  for (const int zero : {0, 1}) {
    const auto [formula, run] = p.costs({.tp = 8, .dp = 8, .zero = zero});
    EXPECT_NEAR(run.total.seconds(), formula.total.seconds(), 1e-9);
    EXPECT_NEAR(run.dp.seconds(), formula.dp.seconds(), 1e-9);
    EXPECT_EQ(run.optimizer, formula.optimizer);
  }
}

TEST(StepRun, PartsAddUp) {
  Problem p;
  for (const Strategy& s : {Strategy{.tp = 4, .pp = 4, .dp = 2, .zero = 1, .dp_overlap = true},
                            Strategy{.tp = 2, .pp = 2, .dp = 8, .zero = 3, .dp_overlap = true},
                            Strategy{.tp = 4, .pp = 4, .dp = 2, .offload_optimizer = true}}) {
    const StepCost cost = p.costs(s).run;
    EXPECT_EQ(cost.total,
              cost.compute + cost.exposed() + cost.bubble + cost.optimizer + cost.offload);
    EXPECT_GT(cost.dp, Time());
    EXPECT_GE(cost.bubble, Time());
  }
}

// The last stage has the head and is the slowest; the first ends last, and begins with its
// gradients when the last stage's are long done. By formula all wait for the slowest stage's.
TEST(StepRun, StaysNearTheFormula) {
  Problem p;
  for (const Strategy& s :
       {Strategy{.tp = 4, .pp = 4, .dp = 2, .zero = 1, .dp_overlap = true},
        Strategy{.tp = 4, .pp = 4, .dp = 2, .recompute = Recompute::full, .pp_overlap = true},
        Strategy{.tp = 4, .dp = 8, .zero = 3, .dp_overlap = true},
        Strategy{
            .tp = 4, .pp = 4, .dp = 2, .schedule = PipelineSchedule::dualpipe, .pp_overlap = true},
        Strategy{.tp = 4, .pp = 4, .dp = 2, .schedule = PipelineSchedule::zero_bubble}}) {
    const auto [formula, run] = p.costs(s);
    EXPECT_NEAR(run.total.seconds() / formula.total.seconds(), 1, 0.03)
        << static_cast<int>(s.schedule) << " zero " << s.zero;
  }
}

// ZeRO 3 over a network that is too slow to hide: forward passes have time to spare, backward
// passes lack it. By formula each waits for its own; run, scatters are done beside the next pass.
TEST(StepRun, ShardsOfABackwardPassTravelBesideTheNext) {
  Problem p;
  const auto [formula, run] = p.costs({.tp = 2, .dp = 16, .zero = 3, .dp_overlap = true});
  EXPECT_LT(run.total, formula.total);
  const StepCost alone = p.costs({.tp = 2, .dp = 16, .zero = 3}).run;
  EXPECT_GT(run.total, alone.total - alone.dp);
}

// 32 micro-batches of 9 messages each way over a NIC of 1 GB/s hold nobody, but follow each other:
// the step cannot end before they have travelled, where the formula only sees the way of the first.
TEST(StepRun, MessagesThatHoldNobodyNeedTheirTimeYet) {
  Problem p;
  p.gpus_per_node = 1;
  p.model = ClosedForm(
      {.gpus_per_node = 1, .nvlink = 240_GBps, .nics = 1_GBps, .nic_count = 1, .overheads = {}});
  const Strategy s{.pp = 4,
                   .dp = 2,
                   .interleave = 9,
                   .schedule = PipelineSchedule::interleaved,
                   .pp_overlap = true};
  const auto [formula, run] = p.costs(s);
  // bsh of 2 bytes = 16.8 MB a message; 9 chunks of 32 micro-batches leave rank 0 forward.
  EXPECT_GT(run.total.seconds(), 9 * 32 * 2 * 2048 * 4096.0 / 1e9);
  EXPECT_GT(run.pp, formula.pp);
}

}  // namespace
}  // namespace railyard::placement
