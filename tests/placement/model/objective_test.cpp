#include "placement/model/objective.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

Job small_job() { return {.name = "j", .batch = 100, .sequence = 1000, .tokens = 1e9}; }

ScoredStrategy ten_seconds(int gpus) {
  ScoredStrategy s{.strategy = {.dp = gpus}};
  s.step.total = Time::from_seconds(10);
  s.step.compute = Time::from_seconds(7);
  s.step.optimizer = Time::from_seconds(1);
  return s;
}

// 1e9 tokens in steps of 1e5: 10,000 steps of 10 s are 27.7778 hours, 1.15741 days; 4 GPUs 111.111
// GPU-hours, at 2 a GPU-hour 222.222. A GPU draws 100 + 600 · 0.8 = 580 W, with 120 W beside it
// and a PUE of 1.25 875 W: 4 of them 3.5 kW, over 27.7778 hours 97.2222 kWh.
TEST(TrainingTotals, DaysCostAndEnergyByHand) {
  const TrainingTotals o = training_totals(small_job(), ten_seconds(4), 1e9,
                                           Rates{.price_per_gpu_hour = 2,
                                                 .gpu_watts = 700,
                                                 .idle_watts = 100,
                                                 .host_watts = 120,
                                                 .pue = 1.25});
  EXPECT_DOUBLE_EQ(o.steps, 10000);
  EXPECT_NEAR(o.days, 1.1574074, 1e-6);
  EXPECT_NEAR(o.gpu_hours, 111.11111, 1e-4);
  EXPECT_NEAR(*o.cost, 222.22222, 1e-4);
  EXPECT_NEAR(*o.power_MW, 0.0035, 1e-12);
  EXPECT_NEAR(*o.energy_MWh, 0.0972222, 1e-6);
}

TEST(TrainingTotals, AnObjectiveThatLacksItsRateSaysSo) {
  const ScoredStrategy s = ten_seconds(2);
  const TrainingTotals o = training_totals(small_job(), s, 1e9, Rates{});
  EXPECT_DOUBLE_EQ(value_of(Objective::time, s, o), 10);
  EXPECT_NEAR(value_of(Objective::days, s, o), 1.1574074, 1e-6);
  EXPECT_THROW((void)value_of(Objective::cost, s, o), InputError);
  EXPECT_THROW((void)value_of(Objective::energy, s, o), InputError);
}

}  // namespace
}  // namespace railyard::placement
