#include "placement/cost/host_link.hpp"

#include <gtest/gtest.h>

#include "topology/cluster/cluster.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

topology::NodeSpec node_of(const char* cluster) {
  return topology::build_cluster(topology::read_cluster(cluster, 1)).spec().node_specs.front();
}

// DGX A100: two GPUs behind a PCIe Gen4 x16 switch; NCCL counts 24 GB/s of such a link.
TEST(HostLink, GpusOfASwitchShareItsLink) {
  EXPECT_EQ(host_bandwidth(node_of("dgx_a100_hdr200"), 25_GBps), 12_GBps);
}

// DGX H100: a Gen5 x16 switch for each GPU, 48 GB/s.
TEST(HostLink, AGpuWithASwitchOfItsOwnHasAllOfIt) {
  EXPECT_EQ(host_bandwidth(node_of("dgx_h100_ndr400"), 50_GBps), 48_GBps);
  EXPECT_EQ(host_bandwidth(node_of("dgx_h100_ndr400"), 30_GBps), 30_GBps);
}

TEST(HostLink, ANodeWithoutPcieKeepsWhatItsGpuHas) {
  EXPECT_EQ(host_bandwidth({}, 300_GBps), 300_GBps);
}

}  // namespace
}  // namespace railyard::placement
