#include "core/digest.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(Digest, MatchesThePublishedVectors) {
  // draft-eastlake-fnv, appendix C: FNV-1a 64 of "", "a" and "foobar".
  EXPECT_EQ(digest(""), "cbf29ce484222325");
  EXPECT_EQ(digest("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(digest("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace railyard::core
