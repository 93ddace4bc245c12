#include "core/ratio.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(Ratio, IsANumberOrTwoOfThem) {
  EXPECT_EQ(parse_ratio("2").value, 2);
  EXPECT_EQ(parse_ratio("1.5").value, 1.5);
  EXPECT_EQ(parse_ratio("3:2").value, 1.5);
}

TEST(Ratio, IsAboveZeroAndFinite) {
  for (const char* text : {"", "x", "2x", "0", "-1", "1:0", "0:1", ":2", "1:", "1:2:3", "inf"})
    EXPECT_FALSE(parse_ratio(text).value) << text;
  EXPECT_EQ(parse_ratio("x").error, "'x' is not a ratio");
}

}  // namespace
}  // namespace railyard::core
