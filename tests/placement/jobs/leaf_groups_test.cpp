#include "placement/jobs/leaf_groups.hpp"

#include <gtest/gtest.h>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;

// Six nodes of two GPUs, leaf groups {0, 1}, {2, 3}, {4, 5}. Node 0 and one GPU of node 2 are in
// use; the job is on nodes 1 and 3.
TEST(LeafGroups, CountFreeAndUsedNodes) {
  const PlaceProblem problem =
      small_problem(6, 2, {.source = {}, .nodes = "0", .gpus = "4", .jobs = {}});
  const Tiers tiers(problem.cluster);
  const Mapping mapping{{Rank(2), Rank(3), Rank(6), Rank(7)}};
  EXPECT_EQ(count_leaf_groups(tiers, mapping.gpus), 2U);
  EXPECT_EQ(node_list(problem.cluster, mapping.gpus), "1,3");
  const auto uses = leaf_group_use(problem, tiers, mapping);
  ASSERT_EQ(uses.size(), 3U);
  const auto row = [&](std::size_t i) {
    return std::vector<int>{uses[i].nodes, uses[i].free_before, uses[i].used, uses[i].free_after};
  };
  EXPECT_EQ(row(0), (std::vector<int>{2, 1, 1, 0}));
  EXPECT_EQ(row(1), (std::vector<int>{2, 1, 1, 0}));
  EXPECT_EQ(row(2), (std::vector<int>{2, 2, 0, 2}));
}

// A leaf group whose nodes are all in use by others has nothing to show.
TEST(LeafGroups, WithoutFreeNodesAreLeftOut) {
  const PlaceProblem problem =
      small_problem(4, 2, {.source = {}, .nodes = "0-1", .gpus = {}, .jobs = {}});
  const Mapping mapping{{Rank(4)}};
  EXPECT_EQ(leaf_group_use(problem, Tiers(problem.cluster), mapping).size(), 1U);
}

}  // namespace
}  // namespace railyard::placement
