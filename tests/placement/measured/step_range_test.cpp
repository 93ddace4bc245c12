#include "placement/measured/step_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

topology::ClusterSpec h100() { return topology::read_cluster("dgx_h100_ndr400", 2); }

TEST(StepRange, AMeasuredGpuHasARangeAndNoNote) {
  const StepRange range(topology::build_cluster(h100()));
  EXPECT_FALSE(range.is_nominal());
  EXPECT_THAT(range.notes(), IsEmpty());
  EXPECT_TRUE(range.range_pct(8).has_value());
  EXPECT_TRUE(range.range_pct(16).has_value());
}

// No measured step ran on the generation of compute capability 8.9 (Ada).
TEST(StepRange, AnUnmeasuredGenerationIsNominalWithOneNotePerType) {
  topology::ClusterSpec spec = h100();
  for (topology::NodeSpec& node : spec.node_specs) {
    node.gpu.name = "L1";
    node.gpu.compute_capability = 89;
  }
  spec.node_specs.push_back(spec.node_specs.front());
  spec.node_counts = {1, 1};
  const StepRange nominal(topology::build_cluster(std::move(spec)));
  EXPECT_TRUE(nominal.is_nominal());
  EXPECT_THAT(nominal.notes(),
              ElementsAre(HasSubstr("generation of L1, so iteration_s is nominal")));
  EXPECT_GE(*nominal.range_pct(16), *StepRange(topology::build_cluster(h100())).range_pct(16));
}

}  // namespace
}  // namespace railyard::placement
