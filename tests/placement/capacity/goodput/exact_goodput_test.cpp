#include "placement/capacity/goodput/exact_goodput.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace railyard::placement {
namespace {

// 466 - 47 = 419 unexpected interruptions in 54 days: one in 54 · 24 / 419 = 3.0931 h on 16,384
// GPUs; others in proportion to their number.
double llama3_mean_time(double gpus) { return 54 * 86400.0 / 419 * 16384 / gpus; }

double with_young(double checkpoint, double restart, double gpus) {
  const double m = llama3_mean_time(gpus);
  return exact_goodput({.mean_time_to_failure = m,
                        .interval = young_interval(checkpoint, m),
                        .checkpoint = checkpoint,
                        .restart = restart});
}

TEST(ExactGoodput, ThreeHoursBetweenFailures) {
  // e^(600/10800) = 1.057128, e^(1260/10800) - 1 = 0.123745: 1200 / (10800 · 0.130814) = 0.84938.
  EXPECT_NEAR(
      exact_goodput(
          {.mean_time_to_failure = 10800, .interval = 1200, .checkpoint = 60, .restart = 600}),
      0.84938, 5e-5);
}

TEST(ExactGoodput, TheTableOfLlama3sRate) {
  // Checkpoint 300 s, 60 s and 5 s with a restart of 600 s, then 5 s and 180 s; 1,024, 16,384 and
  // 100,000 GPUs, computed by hand with Young's interval.
  EXPECT_NEAR(with_young(300, 600, 1024), 0.940, 5e-4);
  EXPECT_NEAR(with_young(300, 600, 16384), 0.744, 5e-4);
  EXPECT_NEAR(with_young(300, 600, 100000), 0.378, 5e-4);
  EXPECT_NEAR(with_young(60, 600, 16384), 0.852, 5e-4);
  EXPECT_NEAR(with_young(5, 600, 16384), 0.919, 5e-4);
  EXPECT_NEAR(with_young(5, 600, 100000), 0.668, 5e-4);
  EXPECT_NEAR(with_young(5, 180, 16384), 0.955, 5e-4);
}

TEST(ExactGoodput, WithoutFailuresOnlyCheckpointsCost) {
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(exact_goodput({.mean_time_to_failure = never, .interval = 95, .checkpoint = 5}),
                   0.95);
  EXPECT_EQ(optimal_interval(5, never), never);
}

TEST(OptimalInterval, SolvesLambertsEquationAndBeatsItsNeighbours) {
  const double m = 10800, c = 60;
  const double best = optimal_interval(c, m);
  const double x = best / m;
  EXPECT_NEAR(1 - x, std::exp(-(x + c / m)), 1e-12);
  const auto goodput = [&](double interval) {
    return exact_goodput({.mean_time_to_failure = m, .interval = interval, .checkpoint = c});
  };
  EXPECT_GT(goodput(best), goodput(best * 1.01));
  EXPECT_GT(goodput(best), goodput(best * 0.99));
  // Young: sqrt(2 · 60 · 10800) = 1138.4 s; Daly's series comes within 0.1 % of the optimum.
  EXPECT_NEAR(young_interval(c, m), 1138.4, 0.05);
  EXPECT_NEAR(daly_interval(c, m), best, 0.001 * best);
}

TEST(DalyInterval, IsTheMeanTimeWhereCheckpointsTakeLonger) {
  EXPECT_EQ(daly_interval(100, 40), 40);
}

}  // namespace
}  // namespace railyard::placement
