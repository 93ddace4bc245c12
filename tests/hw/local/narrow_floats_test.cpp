#include "hw/local/narrow_floats.hpp"

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

TEST(Float8, EveryValueSurvivesTheWayThroughFloat) {
  const auto check = []<class T>(T) {
    for (unsigned bits = 0; bits < 256; ++bits) {
      const T value{static_cast<std::uint8_t>(bits)};
      const float wide = to_float(value);
      if (std::isnan(wide)) {
        EXPECT_TRUE(std::isnan(to_float(from_float<T>(wide)))) << bits;
      } else if (!std::isinf(wide)) {
        EXPECT_EQ(from_float<T>(wide), value) << bits;
      }
    }
  };
  check(Float8E4M3{});
  check(Float8E5M2{});
}

TEST(Float8, KnownValues) {
  // OFP8 specification 1.0, table 1: S.1111.110 is 1.75 * 2^8, S.0001.000 2^-6, S.0000.001 2^-9.
  EXPECT_EQ(to_float(Float8E4M3{0x7e}), 448.0F);
  EXPECT_EQ(to_float(Float8E4M3{0x08}), 0x1p-6F);
  EXPECT_EQ(to_float(Float8E4M3{0x81}), -0x1p-9F);
  EXPECT_TRUE(std::isnan(to_float(Float8E4M3{0x7f})));
  EXPECT_EQ(to_float8_e4m3(1.0F).bits, 0x38);  // exponent 7
  // S.11110.11 is 1.75 * 2^15, S.00001.00 2^-14, S.00000.01 2^-16, S.11111.00 infinity.
  EXPECT_EQ(to_float(Float8E5M2{0x7b}), 57344.0F);
  EXPECT_EQ(to_float(Float8E5M2{0x04}), 0x1p-14F);
  EXPECT_EQ(to_float(Float8E5M2{0x81}), -0x1p-16F);
  EXPECT_TRUE(std::isinf(to_float(Float8E5M2{0xfc})));
  EXPECT_TRUE(std::isnan(to_float(Float8E5M2{0x7d})));
  EXPECT_EQ(to_float8_e5m2(-2.0F).bits, 0xc0);  // exponent 16
}

TEST(Float8, RoundsToNearestTiesToEvenAndStaysFinite) {
  // E4M3 between 16 and 32: 2 apart. 17 and 19 lie between 16 (even fraction), 18 and 20 (even).
  EXPECT_EQ(to_float(to_float8_e4m3(17.0F)), 16.0F);
  EXPECT_EQ(to_float(to_float8_e4m3(19.0F)), 20.0F);
  EXPECT_EQ(to_float(to_float8_e4m3(17.01F)), 18.0F);
  // Subnormals are 2^-9 apart; the largest rounds up to the smallest normal number.
  EXPECT_EQ(to_float(to_float8_e4m3(0x1.8p-9F)), 0x1p-8F);
  EXPECT_EQ(to_float(to_float8_e4m3(0x1p-10F)), 0.0F);
  EXPECT_EQ(to_float(to_float8_e4m3(0x1.fp-7F)), 0x1p-6F);
  EXPECT_EQ(to_float(to_float8_e4m3(1000.0F)), 448.0F);
  EXPECT_EQ(to_float(to_float8_e4m3(-std::numeric_limits<float>::infinity())), -448.0F);
  EXPECT_TRUE(std::isnan(to_float(to_float8_e4m3(std::nanf("")))));
  // E5M2 between 8 and 16: 2 apart.
  EXPECT_EQ(to_float(to_float8_e5m2(9.0F)), 8.0F);
  EXPECT_EQ(to_float(to_float8_e5m2(11.0F)), 12.0F);
  EXPECT_EQ(to_float(to_float8_e5m2(1e6F)), 57344.0F);
  EXPECT_EQ(to_float(to_float8_e5m2(0x1.8p-16F)), 0x1p-15F);
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
