#include "hw/diagnose/diagnose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/diagnose/read_pair_runs.hpp"
#include "tests/hw/diagnose/made_cluster.hpp"
#include "tests/truth_path.hpp"

namespace railyard::hw::testing {
namespace {

std::vector<Finding> sick_of(const Diagnosis& diagnosis) {
  std::vector<Finding> found;
  for (const Finding& finding : diagnosis.findings)
    if (finding.is_sick) found.push_back(finding);
  return found;
}

TEST(Diagnose, ASlowNodeIsNamedWithItsRatio) {
  const MadeTests made = make_tests({.fault = Fault::slow_node, .factor = 1.25, .seed = 5});
  const auto sick = sick_of(diagnose(made.runs, {}));
  ASSERT_EQ(sick.size(), 1U);
  EXPECT_EQ(sick[0].kind, "node");
  EXPECT_EQ(sick[0].nodes, made.fault.nodes);
  EXPECT_NEAR(*sick[0].ratio, 1.25, 0.02);
  EXPECT_GT(*sick[0].probability, 0.99);
  EXPECT_FALSE(sick[0].next_test.empty());
}

TEST(Diagnose, AHealthyClusterIsSilentAndStatesWhatItWouldHaveSeen) {
  const Diagnosis diagnosis = diagnose(make_tests({.disturbed = 0, .failed = 0}).runs, {});
  EXPECT_TRUE(diagnosis.findings.empty());
  ASSERT_TRUE(diagnosis.visible_slowdown);
  // Runs differ by 0.6 %, and 33 runs of a node are compared: the limit is what was asked for.
  EXPECT_NEAR(*diagnosis.visible_slowdown, 0.05, 1e-9);
}

TEST(Diagnose, OneSlowRunBlamesNoComponent) {
  MadeTests made = make_tests({.disturbed = 0, .failed = 0});
  for (PairTest& test : made.runs[7].tests) {
    test.time = test.time * 2;
    test.in_place = test.in_place * 2;
  }
  const Diagnosis diagnosis = diagnose(made.runs, {});
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings[0].kind, "slow_run");
  EXPECT_NEAR(*diagnosis.findings[0].ratio, 2, 0.05);
  EXPECT_FALSE(has_sick(diagnosis));
}

TEST(Diagnose, APairThatFluctuatesInTwoRunsIsSick) {
  MadeTests made = make_tests({.disturbed = 0, .failed = 0});
  for (const std::size_t r : {0U, 1U}) {  // two runs of the first pair
    made.runs[r].tests[0].in_place = made.runs[r].tests[0].time * 2;
    made.runs[r].tests[1].time = made.runs[r].tests[1].in_place * 2;
  }
  const Diagnosis diagnosis = diagnose(made.runs, {});
  EXPECT_TRUE(std::ranges::any_of(diagnosis.findings, [&](const Finding& finding) {
    return finding.kind == "fluctuation" && finding.is_sick &&
           finding.component == "pair n01 - n02";
  }));
}

TEST(Diagnose, FailedAndMissingRunsAreListed) {
  MadeTests made = make_tests({.disturbed = 0, .failed = 0});
  made.runs[0].status = RunStatus::failed;
  made.runs[0].tests.clear();
  made.runs[9].status = RunStatus::missing;
  made.runs[9].tests.clear();
  const Diagnosis diagnosis = diagnose(made.runs, {});
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].kind, "failed_runs");
  EXPECT_TRUE(diagnosis.findings[0].is_sick);
  EXPECT_EQ(diagnosis.findings[1].kind, "missing_runs");
  EXPECT_FALSE(diagnosis.findings[1].is_sick);
}

TEST(Diagnose, WithAllGpusOnlyPartsOfANodeAreAlternatives) {
  const MadeTests made = make_tests(
      {.nodes = 6, .counts = {8}, .disturbed = 0, .failed = 0, .fault = Fault::slow_gpu});
  const auto sick = sick_of(diagnose(made.runs, {}));
  ASSERT_EQ(sick.size(), 1U);
  EXPECT_EQ(sick[0].kind, "node");  // the simplest of hypotheses with the same runs
  EXPECT_EQ(sick[0].nodes, made.fault.nodes);
}

TEST(Diagnose, TwoNodesAreTooFew) {
  const Diagnosis diagnosis =
      diagnose(make_tests({.nodes = 2, .disturbed = 0, .failed = 0}).runs, {});
  EXPECT_TRUE(diagnosis.findings.empty());
  EXPECT_FALSE(diagnosis.visible_slowdown);
}

TEST(Diagnose, ALeafOfTheClusterIsNamed) {
  const MadeTests made = make_tests({.disturbed = 0, .failed = 0, .fault = Fault::slow_leaf});
  const auto view = [&](const auto& nodes, const auto& places) {
    ClusterView known{.groups = assumed_groups(places), .is_known = true};
    LeafGroup leaf{.name = "leaf0", .nodes = std::vector<bool>(nodes.size())};
    for (std::size_t n = 0; n < nodes.size(); ++n)
      leaf.nodes[n] = std::ranges::count(made.fault.nodes, nodes[n]) > 0;
    known.leaves.push_back(std::move(leaf));
    return known;
  };
  const auto sick = sick_of(diagnose(made.runs, {.view = view}));
  ASSERT_EQ(sick.size(), 1U);
  EXPECT_EQ(sick[0].component, "uplinks of leaf0");
}

TEST(Diagnose, WhatIsSlowEverywhereIsFoundByPrediction) {
  const MadeTests made = make_tests({.disturbed = 0, .failed = 0});
  const auto half = [&](std::span<const ExpectedTest> tests) {
    std::vector<std::optional<Time>> times;
    for (const ExpectedTest& test : tests)
      for (const PairTest& measured :
           std::ranges::find(made.runs, test.gpus_per_node, &PairRun::gpus_per_node)->tests)
        if (measured.bytes == test.bytes)
          times.emplace_back(Time::from_seconds(measured.time.seconds() / 2));
    return times;
  };
  const auto sick = sick_of(diagnose(made.runs, {.expected = half}));
  ASSERT_EQ(sick.size(), 1U);
  EXPECT_EQ(sick[0].kind, "cluster");
  EXPECT_NEAR(*sick[0].ratio, 2, 0.05);
}

// A measured cluster: every slow run has traffic between the GPUs at one place in nine nodes and
// other GPUs, and no other run is slow (results/diagnose.md).
TEST(Diagnose, MeasuredClusterHasPortsOnAnIsland) {
  const auto file = railyard::testing::truth_path("diagnose/cluster00_alltoall.csv");
  if (file.empty()) GTEST_SKIP() << "no ../shared/truth/diagnose";
  const auto sick = sick_of(diagnose(read_pair_runs(file.string()), {}));
  ASSERT_GE(sick.size(), 1U);
  EXPECT_EQ(sick[0].kind, "island");
  EXPECT_EQ(sick[0].gpus, std::vector<std::string>{"9d"});
  EXPECT_EQ(sick[0].nodes.size(), 9U);
  EXPECT_GT(*sick[0].probability, 0.99);
  EXPECT_EQ(sick[0].slow + sick[0].failed, sick[0].runs);
  for (std::size_t i = 1; i < sick.size(); ++i) EXPECT_EQ(sick[i].kind, "failed_runs");
}

}  // namespace
}  // namespace railyard::hw::testing
