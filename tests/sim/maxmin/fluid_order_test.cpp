// What answers must not depend on: the order in which streams are added, and
// the shortcuts taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sim/maxmin/fluid.hpp"

namespace railyard::sim {
namespace {

struct Problem {
  struct Flow {
    std::vector<topology::Hop> hops;
    double bytes;
    double cap = std::numeric_limits<double>::infinity();
  };
  std::vector<double> capacities;
  std::vector<Flow> flows;
};

struct Outcome {
  std::vector<double> ends;     ///< by flow
  std::vector<double> carried;  ///< by link
  std::string solver;
};

Outcome run(const Problem& problem, const std::vector<std::size_t>& order, FluidOptions options) {
  options.certify = true;
  Fluid fluid(problem.capacities, options);
  std::vector<std::size_t> flow_of(problem.flows.size());
  for (const std::size_t flow : order) {
    const auto& [hops, bytes, cap] = problem.flows[flow];
    flow_of[fluid.add({hops, bytes, cap}).index()] = flow;
  }
  Outcome outcome{
      .ends = std::vector<double>(problem.flows.size(), -1), .carried = {}, .solver = {}};
  while (fluid.active() > 0) {
    for (const StreamId stream : fluid.advance())
      outcome.ends[flow_of[stream.index()]] = fluid.now();
  }
  for (std::size_t link = 0; link < problem.capacities.size(); ++link) {
    outcome.carried.push_back(fluid.carried(LinkId(link)));
  }
  outcome.solver = fluid.describe();
  return outcome;
}

void expect_equal(const Outcome& a, const Outcome& b) {
  for (std::size_t i = 0; i < a.ends.size(); ++i)
    ASSERT_NEAR(a.ends[i], b.ends[i], 1e-9 * a.ends[i]) << i;
  for (std::size_t l = 0; l < a.carried.size(); ++l)
    ASSERT_NEAR(a.carried[l], b.carried[l], 1e-6) << l;
}

void expect_conserved(const Problem& problem, const Outcome& outcome) {
  std::vector<double> sent(problem.capacities.size(), 0);
  for (const auto& flow : problem.flows) {
    for (const auto& hop : flow.hops) sent[hop.link.index()] += hop.share * flow.bytes;
  }
  for (std::size_t l = 0; l < sent.size(); ++l)
    ASSERT_NEAR(outcome.carried[l], sent[l], 1e-9 * (1 + sent[l])) << l;
}

std::vector<std::size_t> as_given(const Problem& problem) {
  std::vector<std::size_t> order(problem.flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Every host to every other over its own up-link and the other's down-link, a
/// bus before each.
Problem all_to_all(std::uint32_t hosts, unsigned seed, bool random_sizes) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> size(500, 1500);
  Problem problem;
  problem.capacities.assign(std::size_t{3} * hosts, 100.0);
  for (std::uint32_t s = 0; s < hosts; ++s) {
    for (std::uint32_t d = 0; d < hosts; ++d) {
      if (s == d) continue;
      problem.flows.push_back({{{LinkId(2 * hosts + s), 1}, {LinkId(s), 1}, {LinkId(hosts + d), 1}},
                               random_sizes ? size(random) : 1000.0,
                               std::numeric_limits<double>::infinity()});
    }
  }
  return problem;
}

Problem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  Problem problem;
  const int links = pick(2, 40);
  for (int i = 0; i < links; ++i) problem.capacities.push_back(10.0 * pick(1, 10));
  for (int i = pick(2, 120); i > 0; --i) {
    std::vector<topology::Hop> hops;
    std::vector<std::uint32_t> order(problem.capacities.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    order.resize(static_cast<std::size_t>(pick(1, std::min(links, 6))));
    for (const std::uint32_t link : order) hops.push_back({LinkId(link), 0.5 * pick(1, 3)});
    problem.flows.push_back(
        {hops, 10.0 * pick(1, 100),
         pick(0, 3) == 0 ? 1.0 * pick(1, 60) : std::numeric_limits<double>::infinity()});
  }
  return problem;
}

TEST(FluidOrder, CompletionsDoNotDependOnTheOrderOfAdding) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed);
    auto order = as_given(problem);
    const Outcome expected = run(problem, order, {});
    expect_conserved(problem, expected);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    for (const Shortcut levels : {Shortcut::automatic, Shortcut::always, Shortcut::never}) {
      expect_equal(run(problem, order, {.levels = levels}), expected);
      expect_equal(run(problem, order, {.levels = levels, .pruning = Shortcut::always}), expected);
    }
    if (HasFailure()) return;
  }
}

TEST(FluidOrder, FoldedAndUnfoldedSetsEndAlike) {
  const Problem problem = all_to_all(12, 1, false);
  const Outcome folded = run(problem, as_given(problem), {});
  const Outcome apart = run(problem, as_given(problem), {.folding = Shortcut::never});
  EXPECT_NE(folded.solver.find("132 streams folded into 1 classes"), std::string::npos)
      << folded.solver;
  EXPECT_EQ(apart.solver.find("folded"), std::string::npos) << apart.solver;
  expect_equal(folded, apart);
  expect_conserved(problem, folded);
  EXPECT_NEAR(folded.ends[0], 11 * 1000.0 / 100,
              1e-9);  // 11 kB over each host's link of 100 B/s
}

TEST(FluidOrder, ACoupledSetIsKeptByLinkAndEndsAsItWouldApart) {
  const Problem problem = all_to_all(16, 7, true);
  const Outcome by_link = run(problem, as_given(problem), {});
  EXPECT_NE(by_link.solver.find("by link levels"), std::string::npos) << by_link.solver;
  expect_equal(by_link, run(problem, as_given(problem), {.levels = Shortcut::never}));
  expect_conserved(problem, by_link);
}

TEST(FluidOrder, CappedStreamsAreKeptByLinkAndFoldedLikeOthers) {
  // 100 B/s over 15 peers is 6.67 each: a cap of 3 binds, one of 10 does not.
  Problem problem = all_to_all(16, 7, true);
  for (std::size_t i = 0; i < problem.flows.size(); i += 3)
    problem.flows[i].cap = i % 2 == 0 ? 3 : 10;
  const Outcome by_link = run(problem, as_given(problem), {});
  EXPECT_NE(by_link.solver.find("by link levels"), std::string::npos) << by_link.solver;
  expect_equal(by_link, run(problem, as_given(problem), {.levels = Shortcut::never}));
  expect_conserved(problem, by_link);

  Problem equal = all_to_all(12, 1, false);
  for (auto& flow : equal.flows) flow.cap = 5;
  const Outcome folded = run(equal, as_given(equal), {});
  EXPECT_NE(folded.solver.find("132 streams folded into 1 classes"), std::string::npos)
      << folded.solver;
  EXPECT_NEAR(folded.ends[0], 1000.0 / 5, 1e-9);
}

}  // namespace
}  // namespace railyard::sim
