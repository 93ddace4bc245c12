#include "collectives/nccl/choice/failing_nics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives::nccl {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The error of a failure on a cluster; "": none.
std::string error_of(const topology::Cluster& cluster, const std::string& failure,
                     const NcclEnvironment& environment) {
  try {
    check_failing_nics(cluster, std::vector{failure}, environment);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FailingNics, ANicThatFailsDuringTheRunStopsNccl) {
  const topology::Cluster cluster = testing::make_cluster({.gpus = 2, .nics = 2}, 2);
  NcclEnvironment environment;
  environment.search.version = Version::v2_30;
  EXPECT_THAT(error_of(cluster, "node1/nic0@2ms", environment), HasSubstr("port failover is off"));
  // One of a NIC per GPU has none to fail over to.
  environment.port_failover = true;
  EXPECT_THAT(error_of(cluster, "node1/nic0@2ms", environment), HasSubstr("and there is none"));
}

TEST(FailingNics, BeforeTheRunAndCablesDoNot) {
  const topology::Cluster cluster = testing::make_cluster({.gpus = 2, .nics = 2}, 2);
  for (const char* failure : {"node1/nic0", "node1/nic0@0s", "node1/nic0 -- pod0/leaf0@2ms"})
    EXPECT_THAT(error_of(cluster, failure, {}), IsEmpty()) << failure;
}

TEST(FailingNics, PortFailoverMovesDataToAnotherNicOfTheGpu) {
  const topology::Cluster cluster = testing::make_cluster({.gpus = 2, .nics = 4}, 2);
  NcclEnvironment environment;
  environment.search.version = Version::v2_30;
  environment.port_failover = true;
  EXPECT_THAT(error_of(cluster, "node1/nic0@2ms", environment), IsEmpty());
  environment.port_failover = false;
  EXPECT_THAT(error_of(cluster, "node1/nic0@2ms", environment),
              HasSubstr("NCCL_IB_RESILIENCY_PORT_FAILOVER=1"));
}

}  // namespace
}  // namespace railyard::collectives::nccl
