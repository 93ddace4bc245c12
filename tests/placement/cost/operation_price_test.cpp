#include "placement/cost/operation_price.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "core/diagnostic.hpp"
#include "placement/model/processor.hpp"

namespace railyard::placement {
namespace {

TEST(OperationPrice, ComputationTakesWhatItsOperationsOrItsMemoryNeed) {
  const topology::Cluster cluster =
      topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 1));
  const auto price = operation_price(cluster);
  const Processor gpu = find_processor(cluster.spec().node_specs.front().gpu);
  const double rate =
      static_cast<double>(gpu.compute().fp16.per_second()) * gpu.compute().matrix_efficiency;
  EXPECT_EQ(price(1e15, 0), Time::from_seconds(1e15 / rate));
  // 10 GB through memory take longer than one operation.
  EXPECT_EQ(price(1, 1e10), stream_time(gpu, 1e10));
  EXPECT_EQ(price(1e15, 1), Time::from_seconds(1e15 / rate));
}

TEST(OperationPrice, AnUnknownGpuIsAnErrorOnlyWhereItIsAsked) {
  topology::ClusterSpec spec = topology::read_cluster("dgx_h100_ndr400", 1);
  for (topology::NodeSpec& node : spec.node_specs) node.gpu.name = "unheard";
  const topology::Cluster cluster = topology::build_cluster(std::move(spec));
  const auto price = operation_price(cluster);
  EXPECT_THROW((void)price(1, 0), InputError);
}

}  // namespace
}  // namespace railyard::placement
