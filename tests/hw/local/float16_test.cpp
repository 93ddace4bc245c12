#include "hw/local/float16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace railyard::hw {
namespace {

TEST(Float16, EveryValueSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 value{static_cast<std::uint16_t>(bits)};
    const float wide = to_float(value);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(to_float(to_float16(wide))));
      continue;
    }
    ASSERT_EQ(to_float16(wide), value) << bits;
  }
}

TEST(Float16, KnownValues) {
  // IEEE 754: sign 0, exponent 15 (bias 15), fraction 0 is 1; 0x3555 is 1/3 rounded; 0x7bff the
  // largest finite value (2 - 2^-10) * 2^15; 0x0001 the smallest, 2^-24.
  EXPECT_EQ(to_float(Float16{0x3c00}), 1.0F);
  EXPECT_EQ(to_float16(1.0F / 3.0F).bits, 0x3555);
  EXPECT_EQ(to_float(Float16{0x7bff}), 65504.0F);
  EXPECT_EQ(to_float(Float16{0x0001}), 0x1p-24F);
  EXPECT_EQ(to_float16(-2.0F).bits, 0xc000);
}

TEST(Float16, RoundsToNearestTiesToEven) {
  // Between 2048 and 4096 the values are 2 apart: 2049 lies between 2048 (even fraction) and 2050.
  EXPECT_EQ(to_float(to_float16(2049.0F)), 2048.0F);
  EXPECT_EQ(to_float(to_float16(2051.0F)), 2052.0F);
  EXPECT_EQ(to_float(to_float16(2049.5F)), 2050.0F);
  // Subnormals are 2^-24 apart: one and a half of them is rounded to two, half of one to none.
  EXPECT_EQ(to_float(to_float16(0x1.8p-24F)), 0x1p-23F);
  EXPECT_EQ(to_float(to_float16(0x1p-25F)), 0.0F);
}

TEST(Float16, WhatIsTooLargeIsInfinite) {
  // 65520 is the midpoint of 65504 and 65536, and ties go to even: up.
  EXPECT_TRUE(std::isinf(to_float(to_float16(65520.0F))));
  EXPECT_EQ(to_float(to_float16(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(to_float(to_float16(-std::numeric_limits<float>::infinity()))));
}

TEST(BFloat16, KeepsEightBitsRoundedToNearestEven) {
  // Between 256 and 512 the values are 2 apart.
  EXPECT_EQ(to_float(to_bfloat16(257.0F)), 256.0F);
  EXPECT_EQ(to_float(to_bfloat16(259.0F)), 260.0F);
  EXPECT_EQ(to_float(to_bfloat16(-1.5F)), -1.5F);
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::nanf("")))));
}

}  // namespace
}  // namespace railyard::hw
