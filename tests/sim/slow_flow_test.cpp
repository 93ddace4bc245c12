#include <gtest/gtest.h>

#include <sys/resource.h>

#include "sim/analytic/analytic_network.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;

/// 16,384 nodes of 8 in rail-optimised units of 64 nodes, 16 units to a pod.
topology::Cluster rail_clos_131072() {
  auto spec = fabric(topology::FabricKind::rail_clos);
  spec.nodes_per_unit = 64;
  spec.units_per_pod = 16;
  return testing::cluster(16384, 8, spec);
}

TEST(SlowFlow, RingAllReduceOn131072GpusIsBoundByTheNics) {
  const auto cluster = rail_clos_131072();
  const auto ring = schedule(cluster, "ring", {.bytes = 8_GiB}, {.channels = 16});
  const collectives::Task task{.schedule = &ring, .start = {}, .name = {}};
  const auto result = FlowNetwork(cluster).run({&task, 1});
  // Every channel crosses into and out of every node once, two channels a NIC: each NIC sends
  // 2 (n - 1) / n * S / 8 at 50 GB/s. A channel's piece is S / 16 / n = 4096 B: all equal.
  const double n = 131072;
  const double expected = 2 * (n - 1) / n * static_cast<double>((8_GiB).count()) / 8 / 50e9;
  EXPECT_NEAR(duration(result).seconds(), expected, expected * 1e-9);
  const collectives::Task again = task;
  EXPECT_NEAR(duration(AnalyticNetwork(cluster).run({&again, 1})).seconds(), expected,
              expected * 1e-9);
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, 4l * 1024 * 1024);  // KiB: below 4 GiB
}

}  // namespace
}  // namespace railyard::sim
