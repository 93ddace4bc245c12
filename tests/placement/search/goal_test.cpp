#include "placement/search/goal.hpp"

#include <gtest/gtest.h>

#include "tests/placement/two_types.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

SearchSpace narrow() {
  return {.top = 1, .overlap = false, .largest_tp = 1, .largest_micro_batch = 1};
}

// 4 GPUs of A at 2 and 8 of B at 3 an hour are 32 an hour. 1,000 steps of 3.6 s are an hour: 32 in
// all, and 12 GPU-hours. A computes half of the step, B a quarter of it: of 100 W idle and 300 W
// busy that is 200 W, of 100 and 500 W also 200 W; 50 W of host each and PUE 1.5 make 12 · 250 ·
// 1.5 = 4.5 kW.
TEST(Goal, CostAndPowerAreSumsOverTypes) {
  TwoTypes two(five_layers(8), "a100_sxm_80", "h100_sxm", 8, 8);
  ScoredStrategy scored{.strategy = over({.pp = 1, .dp = 12}, {{.types = {0}, .replicas = 4},
                                                               {.types = {1}, .replicas = 8}}),
                        .step = {.total = 3600_ms},
                        .computing = {1800_ms, 900_ms}};
  const double tokens = 1000.0 * 8 * two.job.sequence;
  const auto rates = [](double price, double busy) {
    return Rates{.price_per_gpu_hour = price,
                 .gpu_watts = busy,
                 .idle_watts = 100,
                 .host_watts = 50,
                 .pue = 1.5};
  };
  const Goal goal{
      .objective = Objective::cost, .tokens = tokens, .rates = {rates(2, 300), rates(3, 500)}};
  const TrainingTotals o = training_totals(two.job, scored, goal.tokens, goal.rates);
  EXPECT_DOUBLE_EQ(o.days, 1.0 / 24);
  EXPECT_DOUBLE_EQ(o.gpu_hours, 12);
  EXPECT_DOUBLE_EQ(o.cost.value(), 32);
  EXPECT_DOUBLE_EQ(o.power_MW.value(), 4.5e-3);
  EXPECT_DOUBLE_EQ(o.energy_MWh.value(), 4.5e-3);
  // Without the price of a type that takes part there is none of the whole.
  Goal free = goal;
  free.rates[1].price_per_gpu_hour = 0;
  EXPECT_FALSE(training_totals(two.job, scored, free.tokens, free.rates).cost);
}

// One type: what training_totals() says of the same strategy, u included.
TEST(Goal, OfOneTypeIsThatOfItsStrategy) {
  TwoTypes two(five_layers(8), "a100_sxm_80", "h100_sxm", 8, 8);
  const Strategy s{.tp = 2, .pp = 2, .dp = 2, .layers = {3, 2}};
  const Strategy mixed = over(s, {{.types = {0, 0}, .replicas = 2, .micro_batches = 4}});
  const ScoredStrategy scored = score(two.context(), mixed);
  const Rates rates{.price_per_gpu_hour = 2, .gpu_watts = 400, .idle_watts = 90};
  const TypeContext plain{
      .job = two.job, .gpu = two.types[0].gpu, .communication = two.forms[0], .gpus_per_node = 8};
  const TrainingTotals a = training_totals(two.job, scored, 1e9, std::vector{rates, rates}),
                       b = training_totals(two.job, score(plain, s), 1e9, rates);
  EXPECT_DOUBLE_EQ(a.days, b.days);
  EXPECT_DOUBLE_EQ(a.cost.value(), b.cost.value());
  EXPECT_DOUBLE_EQ(a.energy_MWh.value(), b.energy_MWh.value());
}

// All, a half and a quarter of four nodes, one node of one, or none: 4 x 2 but for nothing at all.
TEST(Goal, CountsAreHalvesOfWholeNodes) {
  TwoTypes two(five_layers(8), "a100_sxm_80", "h100_sxm", 32, 8);
  two.types[1].free.resize(8);
  using Counts = std::vector<std::vector<int>>;
  EXPECT_EQ(gpu_counts(two.context()),
            (Counts{{32, 8}, {32, 0}, {16, 8}, {16, 0}, {8, 8}, {8, 0}, {0, 8}}));
}

/// The best of every count by itself, without a bound: what aim() makes one search find.
double best_of_counts(const TwoTypes& two, const Goal& goal) {
  double best = std::numeric_limits<double>::infinity();
  for (const std::vector<int>& count : gpu_counts(two.context())) {
    TwoTypes some = two;
    for (std::size_t t = 0; t < 2; ++t)
      some.types[t].free.resize(static_cast<std::size_t>(count[t]));
    some.models = {&some.forms[0], &some.forms[1]};
    const CostContext c = some.context();
    SearchSpace space = narrow();
    space.prune = false;
    space.value = [&](const ScoredStrategy& scored) {
      return value_of(goal.objective, scored,
                      training_totals(two.job, scored, goal.tokens, goal.rates));
    };
    for (const ScoredStrategy& one : search(c, space).best) best = std::min(best, space.value(one));
  }
  return best;
}

// Four GPUs of each type, nodes of one. Where B is cheap for its speed only B is taken, where it is
// dear only A; by energy, and within a limit of days, the same as without bounds.
TEST(Goal, OneSearchFindsTheBestOfAllCounts) {
  const TwoTypes two(five_layers(12), "a100_sxm_80", "h100_sxm", 4, 1);
  const CostContext c = two.context();
  for (const Objective objective : {Objective::days, Objective::cost, Objective::energy}) {
    for (const double price : {0.5, 2.5, 20.0}) {
      const Goal goal{
          .objective = objective,
          .tokens = 1e9,
          .rates = {{.price_per_gpu_hour = 1, .gpu_watts = 400, .idle_watts = 50},
                    {.price_per_gpu_hour = price, .gpu_watts = 300 * price, .idle_watts = 100}}};
      SearchSpace space = narrow();
      aim(space, c, goal);
      const SearchResult found = search(c, space);
      ASSERT_EQ(found.best.size(), 1U);
      EXPECT_DOUBLE_EQ(space.value(found.best.front()), best_of_counts(two, goal));
      const std::vector<int> used = gpus_used(found.best.front().strategy, 2);
      if (objective != Objective::days && price == 0.5) {
        EXPECT_EQ(used[0], 0);
      }
      if (objective != Objective::days && price == 20.0) {
        EXPECT_EQ(used[1], 0);
      }
      if (objective == Objective::days) {
        EXPECT_EQ(used, (std::vector<int>{4, 4}));
      }
    }
  }
}

// Half as long again as the fastest: what is cheapest must take GPUs until it is within the limit.
TEST(Goal, StepsBeyondTheLimitAreLeftOut) {
  const TwoTypes two(five_layers(12), "a100_sxm_80", "h100_sxm", 4, 1);
  const CostContext c = two.context();
  Goal goal{.objective = Objective::cost,
            .tokens = 1e9,
            .rates = {{.price_per_gpu_hour = 1}, {.price_per_gpu_hour = 3}}};
  const auto found = [&] {
    SearchSpace space = narrow();
    aim(space, c, goal);
    return search(c, space).best;
  };
  const auto days = [&](const ScoredStrategy& one) {
    return training_totals(two.job, one, goal.tokens, goal.rates).days;
  };
  goal.objective = Objective::days;
  const double fastest = days(found().front());
  goal.objective = Objective::cost;
  ASSERT_GT(days(found().front()), 1.5 * fastest);
  goal.most_days = 1.5 * fastest;
  EXPECT_LE(days(found().front()), 1.5 * fastest);
  goal.most_days = 0.9 * fastest;
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace railyard::placement
