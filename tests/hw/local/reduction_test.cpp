#include "hw/local/reduction.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "hw/local/averaging.hpp"
#include "hw/local/narrow_floats.hpp"

namespace railyard::hw {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

template <class T, std::size_t N>
std::array<T, N> reduced(DataType type, ReduceOp op, std::array<T, N> into,
                         const std::array<T, N>& from) {
  reduction(type, op)(reinterpret_cast<std::byte*>(into.data()),
                      reinterpret_cast<const std::byte*>(from.data()), N);
  return into;
}

TEST(Reduction, IntegersWrapAround) {
  using Bytes8 = std::array<std::int8_t, 2>;
  EXPECT_EQ(reduced(DataType::int8, ReduceOp::sum, Bytes8{127, -128}, Bytes8{1, -1}),
            (Bytes8{-128, 127}));
  EXPECT_EQ(reduced(DataType::int8, ReduceOp::prod, Bytes8{64, 3}, Bytes8{4, -5}),
            (Bytes8{0, -15}));
  using Words = std::array<std::int32_t, 2>;
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(reduced(DataType::int32, ReduceOp::sum, Words{kMost, 2}, Words{1, 3}),
            (Words{kLeast, 5}));
  using Longs = std::array<std::int64_t, 2>;
  EXPECT_EQ(reduced(DataType::int64, ReduceOp::max, Longs{-7, 9}, Longs{3, 8}), (Longs{3, 9}));
  EXPECT_EQ(reduced(DataType::int64, ReduceOp::min, Longs{-7, 9}, Longs{3, 8}), (Longs{-7, 8}));
}

TEST(Reduction, UnsignedIntegersCompareUnsigned) {
  using Bytes8 = std::array<std::uint8_t, 2>;
  EXPECT_EQ(reduced(DataType::uint8, ReduceOp::max, Bytes8{200, 3}, Bytes8{100, 4}),
            (Bytes8{200, 4}));
  EXPECT_EQ(reduced(DataType::uint8, ReduceOp::sum, Bytes8{200, 3}, Bytes8{100, 4}),
            (Bytes8{44, 7}));  // 300 - 256
  using Words = std::array<std::uint32_t, 1>;
  EXPECT_EQ(reduced(DataType::uint32, ReduceOp::min, Words{0x80000000U}, Words{1}), (Words{1}));
  using Longs = std::array<std::uint64_t, 1>;
  EXPECT_EQ(reduced(DataType::uint64, ReduceOp::min, Longs{~0ULL}, Longs{5}), (Longs{5}));
}

template <class T, std::size_t N>
std::array<T, N> averaged(DataType type, std::array<T, N> sums, std::uint32_t ranks) {
  averaging(type)(reinterpret_cast<std::byte*>(sums.data()), N, ranks);
  return sums;
}

TEST(Averaging, IntegersTowardsZeroAndFloatsToTheNearest) {
  using Bytes8 = std::array<std::int8_t, 3>;
  EXPECT_EQ(averaged(DataType::int8, Bytes8{-7, 7, 5}, 3), (Bytes8{-2, 2, 1}));
  EXPECT_EQ(averaged(DataType::int8, Bytes8{-7, 7, 5}, 300), (Bytes8{0, 0, 0}));
  using Unsigned8 = std::array<std::uint8_t, 2>;
  EXPECT_EQ(averaged(DataType::uint8, Unsigned8{255, 7}, 2), (Unsigned8{127, 3}));
  using Floats = std::array<float, 1>;
  EXPECT_EQ(averaged(DataType::float32, Floats{1}, 3), (Floats{1.0F / 3}));
  using Halves = std::array<Float16, 1>;
  // 1/3 is 0x3555 in binary16: 1.0101010101 b times 2^-2.
  EXPECT_EQ(averaged(DataType::float16, Halves{to_float16(1)}, 3), (Halves{Float16{0x3555}}));
}

TEST(Reduction, FloatsOfEveryWidth) {
  using Floats = std::array<float, 2>;
  EXPECT_EQ(reduced(DataType::float32, ReduceOp::sum, Floats{1.5F, -2}, Floats{2, 0.25F}),
            (Floats{3.5F, -1.75F}));
  using Doubles = std::array<double, 2>;
  EXPECT_EQ(reduced(DataType::float64, ReduceOp::prod, Doubles{1.5, -2}, Doubles{2, 0.25}),
            (Doubles{3, -0.5}));
  using Halves = std::array<Float16, 2>;
  // 2048 + 1 is not a binary16: the nearest even one is 2048.
  EXPECT_EQ(reduced(DataType::float16, ReduceOp::sum, Halves{to_float16(2048), to_float16(1)},
                    Halves{to_float16(1), to_float16(2)}),
            (Halves{to_float16(2048), to_float16(3)}));
  using Brains = std::array<BFloat16, 2>;
  EXPECT_EQ(reduced(DataType::bfloat16, ReduceOp::max, Brains{to_bfloat16(-3), to_bfloat16(8)},
                    Brains{to_bfloat16(-4), to_bfloat16(9)}),
            (Brains{to_bfloat16(-3), to_bfloat16(9)}));
  using Eights = std::array<Float8E4M3, 2>;
  // 16 + 1 is not an E4M3: the nearest even one is 16. 300 + 300 is more than 448.
  EXPECT_EQ(
      reduced(DataType::float8_e4m3, ReduceOp::sum, Eights{to_float8_e4m3(16), to_float8_e4m3(288)},
              Eights{to_float8_e4m3(1), to_float8_e4m3(288)}),
      (Eights{to_float8_e4m3(16), to_float8_e4m3(448)}));
}

/// Each pair of the 256 values of T, by `op` in binary32 and, as NCCL's kernels do, in binary16.
template <class T, class Op>
void expect_as_in_binary16(DataType type, ReduceOp op, Op apply) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      using One = std::array<T, 1>;
      const One x{T{static_cast<std::uint8_t>(a)}}, y{T{static_cast<std::uint8_t>(b)}};
      const T got = reduced(type, op, x, y)[0];
      const float half = to_float(to_float16(apply(to_float(x[0]), to_float(y[0]))));
      if (std::isnan(half)) {
        ASSERT_TRUE(std::isnan(to_float(got))) << a << " " << b;
      } else {
        ASSERT_EQ(got, from_float<T>(half)) << a << " " << b;
      }
    }
  }
}

TEST(Reduction, EightBitFloatsAreCombinedAsInBinary16) {
  const auto both = [](ReduceOp op, auto apply) {
    expect_as_in_binary16<Float8E4M3>(DataType::float8_e4m3, op, apply);
    expect_as_in_binary16<Float8E5M2>(DataType::float8_e5m2, op, apply);
  };
  both(ReduceOp::sum, [](float a, float b) { return a + b; });
  both(ReduceOp::prod, [](float a, float b) { return a * b; });
}

}  // namespace
}  // namespace railyard::hw
