#include "collectives/nccl/timing/range/machine_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::collectives::nccl {
namespace {

using namespace literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kCluster = "dgx_h100_ndr400";

MachineRange range_of(topology::ClusterSpec spec, const topology::Timings& timings,
                      bool several_nodes) {
  return {topology::build_cluster(std::move(spec)), timings, several_nodes};
}

TEST(MachineRange, AMeasuredMachineHasTheRangeOfItsClassAndNoNote) {
  const topology::Timings timings = topology::read_timings(kCluster);
  const MachineRange range = range_of(topology::read_cluster(kCluster, 2), timings, true);
  EXPECT_FALSE(range.is_nominal());
  EXPECT_THAT(range.notes(), IsEmpty());
  // GPU, NVLink and fabric; a single node has no fabric.
  EXPECT_THAT(range.parts(), SizeIs(3));
  EXPECT_THAT(range_of(topology::read_cluster(kCluster, 1), timings, false).parts(), SizeIs(2));
  RangeQuery query{.of = RangeOf::collective,
                   .evidence = Evidence::measured,
                   .several_nodes = true,
                   .bytes = 1_GiB,
                   .generation = timings.generation};
  for (const PartEvidence& known : range.parts())
    query.evidence = std::max(query.evidence, known.evidence);
  EXPECT_EQ(range.range_pct(1_GiB),
            range_pct(read_prediction_ranges(std::string(kShippedRanges)).classes, query));
}

TEST(MachineRange, AnUnknownGpuMakesTheMachineNominalAndItsRangeNoSmaller) {
  const topology::Timings timings = topology::read_timings(kCluster);
  const MachineRange known = range_of(topology::read_cluster(kCluster, 2), timings, true);
  topology::Timings other = timings;
  other.generation = "unheard";
  topology::ClusterSpec spec = topology::read_cluster(kCluster, 2);
  for (topology::NodeSpec& node : spec.node_specs) node.gpu.name = "U1";
  const MachineRange unknown = range_of(std::move(spec), other, true);
  EXPECT_TRUE(unknown.is_nominal());
  EXPECT_THAT(unknown.notes(),
              Contains(HasSubstr("no measured table contains gpu U1 or its family")));
  EXPECT_GE(*unknown.range_pct(1_GiB), *known.range_pct(1_GiB));
}

}  // namespace
}  // namespace railyard::collectives::nccl
