#include "core/trimmed.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(Trimmed, LeavesOutBlanksAtBothEndsOnly) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Trimmed, BlanksAreThoseOfTheCaller) {
  EXPECT_EQ(trimmed("\ta ", " "), "\ta");
  EXPECT_EQ(trimmed("a\r\n", " \r\n"), "a");
}

}  // namespace
}  // namespace railyard::core
