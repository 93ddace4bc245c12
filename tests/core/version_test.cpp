#include "core/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(Version, NamesVersionTypeCompilerAndCommit) {
  const Build found = build();
  EXPECT_EQ(found.version, RAILYARD_TEST_VERSION);
  EXPECT_EQ(found.type, RAILYARD_TEST_BUILD_TYPE);
  EXPECT_FALSE(found.compiler.empty());
  // "" where there is no git.
  EXPECT_THAT(std::string(found.commit), ::testing::MatchesRegex("([0-9a-f]{7,40}\\+?)?"));
}

}  // namespace
}  // namespace railyard::core
