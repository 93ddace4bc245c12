#include "apps/cli/nccl_flags.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

TEST(NcclFlags, AVersionThatIsNotModelledIsNamedAndAnsweredByTheNearest) {
  using collectives::nccl::Version;
  const auto newer = nccl_environment_of({.environment = {}, .version = "2.33"});
  EXPECT_EQ(newer.search.version, Version::v2_32);
  EXPECT_EQ(newer.release_note,
            "NCCL 2.33 is not modelled; the answer uses NCCL 2.32.6, the nearest modelled release");
  EXPECT_EQ(nccl_environment_of({.environment = {}, .version = "2.32"}).release_note, "");
  EXPECT_THROW((void)nccl_environment_of({.environment = {}, .version = "soon"}), InputError);
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
