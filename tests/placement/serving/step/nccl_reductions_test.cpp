#include "placement/serving/step/nccl_reductions.hpp"

#include <gtest/gtest.h>

#include "placement/cost/closed_form.hpp"

namespace railyard::placement::serving {
namespace {

GroupCollective collective(collectives::Kind kind, double bytes) {
  return {.kind = kind,
          .role = GroupRole::tensor,
          .shape = {.size = 16, .per_node = 8, .gpu_stride = 1, .node_stride = 1, .beside = 1},
          .bytes = bytes};
}

TEST(NcclReductions, AllReducesHaveNcclsTimes) {
  const auto cluster = std::make_shared<const topology::Cluster>(
      topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 2)));
  const NcclReductions model(cluster, topology::read_timings("dgx_h100_ndr400"));
  const auto seconds = [&](double bytes) {
    return model.time(collective(collectives::Kind::all_reduce, bytes)).seconds();
  };
  // Small ones are bounded by latency, so twice the bytes take much less than twice the time.
  EXPECT_GT(seconds(32'768), seconds(16'384));
  EXPECT_LT(seconds(32'768), 1.2 * seconds(16'384));
  // Linear between powers of two; in whole picoseconds.
  EXPECT_NEAR(seconds(24'576), (seconds(16'384) + seconds(32'768)) / 2, 2e-12);
  // NCCL's fitted times are above those of nominal links.
  const ClosedForm nominal(node_fabric(*cluster));
  EXPECT_GT(seconds(14'336),
            nominal.time(collective(collectives::Kind::all_reduce, 14'336)).seconds());
  // Other collectives are nominal.
  const GroupCollective exchange = collective(collectives::Kind::all_to_all, 1e6);
  EXPECT_EQ(model.time(exchange), nominal.time(exchange));
}

}  // namespace
}  // namespace railyard::placement::serving
