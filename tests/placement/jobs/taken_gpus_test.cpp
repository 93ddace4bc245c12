#include "placement/jobs/taken_gpus.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;

/// Numbers of the GPUs in use on four nodes of two GPUs.
std::vector<std::size_t> taken(const Occupancy& occupancy) {
  const auto cluster = topology::testing::small_cluster(topology::testing::leaf_spine(2), 4, 2);
  std::vector<std::size_t> numbers;
  const std::vector<bool> used = taken_gpus(cluster, occupancy);
  for (std::size_t r = 0; r < used.size(); ++r)
    if (used[r]) numbers.push_back(r);
  return numbers;
}

// Node 1 is GPUs 2 and 3, node 3 GPUs 6 and 7.
TEST(TakenGpus, AreThoseOfNodesGpusAndJobs) {
  EXPECT_EQ(taken({}), (std::vector<std::size_t>{}));
  EXPECT_EQ(taken({.source = {}, .nodes = "node1", .gpus = "5", .jobs = {tenant("a", "3")}}),
            (std::vector<std::size_t>{2, 3, 5, 6, 7}));
}

TEST(TakenGpus, AGpuOfTwoJobsIsAnError) {
  try {
    (void)taken(
        {.source = {}, .nodes = {}, .gpus = {}, .jobs = {tenant("a", "0"), tenant("b", "0-1")}});
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1U);
    EXPECT_EQ(error.diagnostics().front().message, "'a' and 'b' are both on node0/gpu0");
  }
}

TEST(TakenGpus, ANodeBeyondTheClusterIsAnErrorWhereItWasWritten) {
  const auto cluster = topology::testing::small_cluster(topology::testing::leaf_spine(2), 4, 2);
  try {
    (void)gpus_of(cluster, "2,4", {}, {.where = "--lost"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().pointer, "--lost");
    EXPECT_EQ(error.diagnostics().front().message,
              "'2,4' is not a list of nodes of this cluster, which are 0 to 3");
  }
}

}  // namespace
}  // namespace railyard::placement
