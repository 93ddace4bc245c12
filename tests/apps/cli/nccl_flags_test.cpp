#include "apps/cli/nccl_flags.hpp"

#include <gtest/gtest.h>

namespace railyard::apps {
namespace {

TEST(NcclFlags, TheVersionIsOneOfTwo) {
  using collectives::nccl::Version;
  EXPECT_EQ(nccl_environment_of({.environment = {}, .version = "2.28"}).search.version,
            Version::v2_28);
  EXPECT_EQ(nccl_environment_of({}).search.version, Version::v2_30);
}

TEST(NcclFlags, TheQueuePairsFlagWinsOverTheEnvironment) {
  const auto environment =
      nccl_environment_of({.environment = {"NCCL_IB_QPS_PER_CONNECTION=4"}, .version = "2.30"});
  EXPECT_EQ(with_environment({}, environment).qps, 4);
  FabricFlags flags;
  flags.qps = 2;
  EXPECT_EQ(with_environment(flags, environment).qps, 2);
}

}  // namespace
}  // namespace railyard::apps
