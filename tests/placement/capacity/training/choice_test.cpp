#include "placement/capacity/training/choice.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "placement/capacity/training/scaling.hpp"

namespace railyard::placement {
namespace {

TrainingOption option(int gpus, double days, double cost, double energy) {
  TrainingOption one{.gpus = gpus};
  one.days.value = days;
  one.cost = Ranged{cost, cost, cost};
  one.energy_MWh.value = energy;
  one.power.peak = gpus / 1000.0;
  return one;
}

TEST(Choose, MarksTheCheapestTheFastestAndTheParetoSetWithinLimits) {
  std::vector<TrainingOption> options{option(1, 100, 10, 1), option(2, 60, 11, 2),
                                      option(4, 30, 20, 4), option(4, 40, 21, 5),
                                      option(8, 10, 50, 9)};
  choose(options, {.days = 70, .budget = 40, .power_MW = {}});
  EXPECT_FALSE(options[0].within_limits);
  EXPECT_EQ(options[0].missed, "100.0 days");
  EXPECT_EQ(options[4].missed, "cost 50");
  EXPECT_TRUE(options[1].cheapest);
  EXPECT_TRUE(options[2].fastest);
  EXPECT_TRUE(options[1].pareto);
  EXPECT_TRUE(options[2].pareto);
  EXPECT_FALSE(options[3].pareto);  // slower, dearer, more energy than the one before it
  EXPECT_FALSE(options[4].pareto);  // outside the limits
}

TEST(NearestOption, MissesItsWorstLimitLeast) {
  const std::vector<TrainingOption> options{option(1, 100, 10, 1), option(2, 60, 30, 2)};
  double ratio = 0;
  // 100 / 50 = 2 and 10 / 10; 60 / 50 = 1.2 and 30 / 10 = 3.
  EXPECT_EQ(nearest_option(options, {.days = 50, .budget = 10, .power_MW = {}}, ratio),
            &options[0]);
  EXPECT_DOUBLE_EQ(ratio, 2);
}

TEST(Scaling, NamesThePartThatGrew) {
  Job job{.batch = 8, .sequence = 1000};
  ScoredStrategy base{.strategy = {.dp = 1}}, more{.strategy = {.dp = 4}};
  base.step.total = base.step.compute = Time::seconds(8);
  // Four GPUs: 2 s of computation and 1 s of exposed collectives, 3 s in place of 2.
  more.step.compute = Time::seconds(2);
  more.step.dp = Time::seconds(1);
  more.step.total = Time::seconds(3);
  EXPECT_NEAR(scaling_efficiency(job, base, job, more), 2.0 / 3, 1e-12);
  EXPECT_EQ(scaling_limit(job, base, job, more), "communication");
  more.step.dp = Time();
  more.step.bubble = Time::seconds(1);
  EXPECT_EQ(scaling_limit(job, base, job, more), "batch");
}

TEST(SpareNodes, CoverTheRepairsOfNinetyFivePercentOfTheTime) {
  // One failure a node and year, 100 nodes, repairs of 3.6525 days: one node out on average.
  // Poisson with mean 1: P(<= 2) = 0.9197, P(<= 3) = 0.9810.
  FailureModel model{.causes = {{.name = "host", .per = Component::node, .per_year = 1}}};
  model.repair.median = Duration::from_seconds(3.6525 * 86400);
  EXPECT_EQ(spare_nodes(model, {.gpus = 800, .nodes = 100}), 3);
  model.causes[0].keeps_node = true;
  EXPECT_EQ(spare_nodes(model, {.gpus = 800, .nodes = 100}), 0);
}

}  // namespace
}  // namespace railyard::placement
