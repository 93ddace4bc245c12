#include "placement/capacity/goodput/grey_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "placement/capacity/goodput/goodput.hpp"

namespace railyard::placement {
namespace {

constexpr double kHour = 3600;

RunSetup setup_with(std::vector<GreyProcess> grey) {
  RunSetup setup;
  setup.grey = std::move(grey);
  setup.counts = {.gpus = 8, .nodes = 1};
  setup.checkpoint = {.interval = kHour};
  setup.work = 20'000 * kHour;
  return setup;
}

// Arrivals of rate r that last D each are a queue without waiting (M/M/infinity): one or more are
// active for 1 - e^(-rD) of the time.
TEST(GreyFailures, SlowTheJobUntilTheyAreFound) {
  const RunSetup setup = setup_with(
      {{.name = "slow", .per_second = 0.1 / kHour, .slowdown = 1.25, .found = 5 * kHour}});
  const GoodputEstimate found = simulate_goodput(setup, {.runs = 40});
  const double expected = 1 - 0.2 * (1 - std::exp(-0.5));  // 0.9213
  EXPECT_NEAR(found.goodput.mean, expected, 0.002);
  ASSERT_EQ(found.causes.back().name, "slow");
  // All that is lost is lost to it, and each that was found counts.
  EXPECT_NEAR(found.causes.back().slow, (1 - found.goodput.mean) * found.elapsed.mean,
              0.001 * found.elapsed.mean);
  EXPECT_NEAR(found.causes.back().interruptions, 0.1 * found.elapsed.mean / kHour, 20);
}

TEST(GreyFailures, OfConcurrentOnesTheSlowestCounts) {
  const RunSetup setup =
      setup_with({{.name = "a", .per_second = 0.1 / kHour, .slowdown = 1.1, .found = 10 * kHour},
                  {.name = "b", .per_second = 0.05 / kHour, .slowdown = 2, .found = 10 * kHour}});
  // a is active for 1 - e^-1, b for 1 - e^-0.5 of the time.
  const double a = 1 - std::exp(-1.0), b = 1 - std::exp(-0.5);
  const double expected = b / 2 + (1 - b) * (a / 1.1 + (1 - a));
  EXPECT_NEAR(simulate_goodput(setup, {.runs = 40}).goodput.mean, expected, 0.003);
}

// Found at once, each costs a checkpoint of 60 s and a restart of 300 s: 1 - 360 s / 1 h.
TEST(GreyFailures, ANodeThatIsFoundCostsACheckpointAndARestart) {
  RunSetup setup =
      setup_with({{.name = "gpu", .per_second = 1 / kHour, .slowdown = 1.1, .takes_node = true}});
  setup.checkpoint = {.interval = 1e6 * kHour, .stall = 60};
  setup.recovery = {.detection = 600, .restart = 300};
  const GoodputEstimate found = simulate_goodput(setup, {.runs = 10});
  EXPECT_NEAR(found.goodput.mean, 0.9, 0.002);
  EXPECT_EQ(found.causes.back().detection, 0);  // it was found while the job ran
  EXPECT_EQ(found.causes.back().lost, 0);
}

TEST(GreyFailures, WithFailuresTheTimesAddUp) {
  RunSetup setup = setup_with(
      {{.name = "gpu",
        .per_second = 0.02 / kHour,
        .slowdown = 1.1,
        .found = 6 * kHour,
        .takes_node = true,
        .repair = {.median = Duration::hours(20), .mean = {}}},
       {.name = "link", .per_second = 0.1 / kHour, .slowdown = 1.5, .found = 3 * kHour}});
  setup.failures.causes = {{.name = "all", .per = Component::job, .per_year = 400}};
  setup.failures.repair = {.median = Duration::hours(2), .mean = {}};
  setup.nodes = 4;
  setup.spares = 1;
  setup.work = 3000 * kHour;
  setup.checkpoint = {.interval = kHour, .stall = 30, .write = 120};
  setup.recovery = {.detection = 600, .restart = 300};
  for (const std::vector<double>& shrunk : {std::vector<double>{}, std::vector<double>{0.7, 0.5}}) {
    setup.shrunk = shrunk;
    const RunResult run = simulate_run(setup, 3, 0);
    double sum = run.useful + run.checkpoint;
    for (const CauseWaste& cause : run.causes) sum += cause.total();
    EXPECT_NEAR(run.elapsed, sum, 1e-6 * run.elapsed);
    EXPECT_EQ(run.useful, setup.work);
  }
}

}  // namespace
}  // namespace railyard::placement
