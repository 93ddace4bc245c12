#include "placement/serving/planner/traced_demand.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

std::vector<Request> at(double first, double second, double third) {
  return {{.arrival = first, .input = 100, .output = 10},
          {.arrival = second, .input = 200, .output = 20},
          {.arrival = third, .input = 600, .output = 60}};
}

TEST(TracedDemand, HasTheRateAndTheMeanLengthsOfTheTrace) {
  // Two gaps in four seconds.
  const TracedDemand traced = traced_demand({.rate = 0}, at(0, 1, 4));
  EXPECT_DOUBLE_EQ(traced.demand.rate, 0.5);
  EXPECT_DOUBLE_EQ(traced.demand.input, 300);
  EXPECT_DOUBLE_EQ(traced.demand.output, 30);
  EXPECT_DOUBLE_EQ(traced.demand.trace[1].arrival, 1);
  ASSERT_EQ(traced.notes.size(), 1U);
}

TEST(TracedDemand, AnAskedRateRescalesTheTimes) {
  const TracedDemand traced = traced_demand({.rate = 2}, at(0, 1, 4));
  EXPECT_DOUBLE_EQ(traced.demand.rate, 2);
  EXPECT_DOUBLE_EQ(traced.demand.trace[1].arrival, 0.25);
  EXPECT_DOUBLE_EQ(traced.demand.trace[2].arrival, 1);
}

TEST(TracedDemand, ATraceWithoutTimesGetsRandomArrivals) {
  EXPECT_EQ(request_rate(at(0, 0, 0)), 0);
  const TracedDemand traced = traced_demand({.rate = 2}, at(0, 0, 0));
  EXPECT_GT(traced.demand.trace.back().arrival, 0);
  EXPECT_EQ(traced.notes.size(), 2U);
}

TEST(TracedDemand, TheCachedShareIsThatOfPrefixesThatRepeat) {
  // Two of three prompts of 600 tokens share a block of 512; the second one finds it.
  std::vector<Request> trace = at(0, 1, 4);
  for (Request& request : trace) request.input = 600;
  trace[0].prefix = trace[2].prefix = {7};
  EXPECT_NEAR(traced_demand({.rate = 0}, trace).demand.cached, 512.0 / 1800, 1e-9);
}

}  // namespace
}  // namespace railyard::placement::serving
