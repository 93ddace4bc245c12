#include "hw/reduction.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "hw/float16.hpp"

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
}

}  // namespace
}  // namespace railyard::hw
