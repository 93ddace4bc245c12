#include "placement/jobs/bandwidth_left.hpp"

#include <gtest/gtest.h>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;

/// Four nodes of eight GPUs; a job on nodes 0 and 1 sends 10 GB/s per GPU.
PlaceProblem beside(TenantPattern pattern) {
  RunningJob other = tenant("a", "0-1");
  other.rate = 10_GBps;
  other.pattern = pattern;
  return small_problem(4, 8, {.source = {}, .nodes = {}, .gpus = {}, .jobs = {other}});
}

/// The part of the first NIC's port (50 GB/s) that it uses.
double used_of_first_port(TenantPattern pattern) {
  const PlaceProblem problem = beside(pattern);
  const Tiers tiers(problem.cluster);
  const std::size_t port = tiers.port_up(0);
  return 1 - bandwidth_left(problem, tiers).of_trunks[port] / tiers.bandwidth()[port];
}

// One ring over 16 GPUs sends 10 GB/s from each node to the next over eight NICs, 1.25 GB/s each;
// rails are a ring per GPU of a node, each NIC sends 10 GB/s.
TEST(BandwidthLeft, DependsOnWhichGpusOfAJobSendToEachOther) {
  EXPECT_NEAR(used_of_first_port(TenantPattern::ring), 1.25 / 50, 1e-9);
  EXPECT_NEAR(used_of_first_port(TenantPattern::rails), 10.0 / 50, 1e-9);
}

TEST(BandwidthLeft, IsEmptyWhereOthersSendNothing) {
  const PlaceProblem problem =
      small_problem(4, 8, {.source = {}, .nodes = {}, .gpus = {}, .jobs = {tenant("a", "0-1")}});
  EXPECT_TRUE(bandwidth_left(problem, Tiers(problem.cluster)).of_trunks.empty());
  EXPECT_TRUE(links_used_by_others(problem).empty());
}

// The job on nodes 0 and 1 stays below its leaf: no link that a job on nodes 2 and 3 could cross.
TEST(BandwidthLeft, CountsSharedLinksOnly) {
  const PlaceProblem problem = beside(TenantPattern::rails);
  const auto used = links_used_by_others(problem);
  EXPECT_FALSE(used.empty());
  EXPECT_FALSE(busiest_shared_link(problem, used));
}

}  // namespace
}  // namespace railyard::placement
