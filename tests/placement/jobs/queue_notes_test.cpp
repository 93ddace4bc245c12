#include "placement/jobs/queue_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A job on all GPUs of a node of eight.
ArrivingJob on_a_node(const std::string& name) {
  return {
      .name = name,
      .problem = problem_on(topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 1)),
                            testing::four_layers(16)),
      .strategy = {.dp = 8}};
}

Mapping whole_node() {
  Mapping mapping;
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) mapping.gpus.emplace_back(gpu);
  return mapping;
}

TEST(QueueNotes, AJobWithoutNodesIsNamedWithTheGpusThatItNeeds) {
  const std::vector<ArrivingJob> jobs{on_a_node("a"), on_a_node("b")};
  const QueueArrangement placed{
      .mappings = {whole_node(), {}}, .steps = {1, 0}, .lost_gpus = 0, .placed = 1};
  EXPECT_THAT(queue_notes(jobs, placed), ElementsAre("b needs 8 GPUs, but 0 are free"));
}

TEST(QueueNotes, NoneWhereAllJobsHaveNodesAndUseAllTypes) {
  const std::vector<ArrivingJob> jobs{on_a_node("a")};
  const QueueArrangement placed{
      .mappings = {whole_node()}, .steps = {1}, .lost_gpus = 0, .placed = 1};
  EXPECT_THAT(queue_notes(jobs, placed), IsEmpty());
}

}  // namespace
}  // namespace railyard::placement
