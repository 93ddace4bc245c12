#include "sim/maxmin/backoff.hpp"

#include <gtest/gtest.h>

namespace railyard::sim {
namespace {

TEST(Backoff, TheWaitDoublesWithEachFailureUpToTheLongestAndFallsBackAfterASuccess) {
  Backoff backoff(8);
  EXPECT_EQ(backoff.wait(), 1U);
  for (const unsigned wait : {2U, 4U, 8U, 8U}) {
    backoff.fail();
    EXPECT_EQ(backoff.wait(), wait);
  }
  backoff.succeed();
  EXPECT_EQ(backoff.wait(), 1U);
}

}  // namespace
}  // namespace railyard::sim
