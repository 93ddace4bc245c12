#include "hw/local/test_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/config/enum_names.hpp"
#include "hw/local/averaging.hpp"
#include "hw/local/narrow_floats.hpp"
#include "hw/local/reduction.hpp"

namespace railyard::hw {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

TEST(TestValues, ReduceExactlyInAnyOrder) {
  constexpr std::uint64_t kCount = 1000;
  std::mt19937 random(7);
  for (const std::uint32_t ranks : {1U, 2U, 17U, 300U, 3000U}) {
    std::vector<std::uint32_t> order(ranks);
    for (std::uint32_t i = 0; i < ranks; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const auto& [type, type_name] : core::EnumNames<DataType>::table) {
      for (const auto& [op, op_name] : core::EnumNames<ReduceOp>::table) {
        const TestValues values(type, op, ranks, 5);
        std::vector<std::byte> sum = values.of(order[0], kCount);
        for (std::uint32_t i = 1; i < ranks; ++i) {
          const std::vector<std::byte> next = values.of(order[i], kCount);
          reduction(type, op)(sum.data(), next.data(), kCount);
        }
        if (op == ReduceOp::avg) averaging(type)(sum.data(), kCount, ranks);
        const auto element = static_cast<std::size_t>(size_of(type).count());
        EXPECT_EQ(compare(sum, values.reduced(kCount), 0, element).wrong, 0)
            << ranks << " ranks, " << type_name << " " << op_name;
      }
    }
  }
}

TEST(TestValues, LeavingOutOrRepeatingARankShows) {
  constexpr std::uint64_t kCount = 4096;
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod}) {
    const TestValues values(DataType::bfloat16, op, 300, 1);
    for (std::uint32_t again = 0; again < 300; again += 37) {
      std::vector<std::byte> sum = values.reduced(kCount);
      const std::vector<std::byte> extra = values.of(again, kCount);
      reduction(DataType::bfloat16, op)(sum.data(), extra.data(), kCount);
      EXPECT_GT(compare(sum, values.reduced(kCount), 0, 2).wrong, 0) << again;
    }
  }
}

TEST(TestValues, UnsignedValuesReachTheUpperHalfOfTheirRange) {
  // Otherwise a minimum that compares signed would not show.
  const TestValues values(DataType::uint8, ReduceOp::min, 2, 1);
  const std::vector<std::byte> drawn = values.of(0, 1000);
  EXPECT_TRUE(std::ranges::any_of(drawn, [](std::byte b) { return b > std::byte{127}; }));
}

TEST(TestValues, AnAverageOfScaledValuesIsCloseAndAWrongOneIsNot) {
  // binary16 holds 11 bits, so u = 2^-11; 3 ranks and values up to 15: (3 + 2) * 15 / 2048.
  EXPECT_DOUBLE_EQ(scaling_error(DataType::float16, 3), 75.0 / 2048);
  constexpr std::uint64_t kCount = 500;
  const TestValues values(DataType::float16, ReduceOp::avg, 3, 9);
  const float third = to_float(to_float16(1.0F / 3));
  std::vector<std::byte> scaled(2 * kCount), doubled(2 * kCount);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    std::vector<std::byte> mine = values.of(rank, kCount);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      Float16 value;
      std::memcpy(&value, mine.data() + 2 * i, 2);
      value = to_float16(to_float(value) * third);
      std::memcpy(mine.data() + 2 * i, &value, 2);
    }
    const Reduction add = reduction(DataType::float16, ReduceOp::sum);
    if (rank == 0) {
      scaled = mine;
      doubled = mine;
    } else {
      add(scaled.data(), mine.data(), kCount);
      add(doubled.data(), mine.data(), kCount);
    }
    if (rank == 1) add(doubled.data(), mine.data(), kCount);
  }
  const std::vector<std::byte> exact = values.reduced(kCount);
  const double tolerance = scaling_error(DataType::float16, 3);
  EXPECT_GT(compare(scaled, exact, 0, 2).wrong, 0);
  EXPECT_EQ(compare_close(DataType::float16, scaled, exact, 0, tolerance).wrong, 0);
  // A contribution counted twice is a third of 1 to 15 off, far beyond 0.04.
  EXPECT_EQ(compare_close(DataType::float16, doubled, exact, 0, tolerance).wrong,
            static_cast<std::int64_t>(kCount));
}

TEST(TestValues, CompareCountsAndNamesTheFirst) {
  const TestValues values(DataType::int32, ReduceOp::sum, 4, 1);
  const std::vector<std::byte> table = values.of(2, 100);
  std::vector<std::byte> got(1000);
  fill(got, table, 30, 4);
  EXPECT_EQ(compare(got, table, 30, 4).wrong, 0);
  got[4 * 71] ^= std::byte{1};
  got[4 * 170 + 3] ^= std::byte{1};
  const Comparison comparison = compare(got, table, 30, 4);
  EXPECT_EQ(comparison.wrong, 2);
  EXPECT_EQ(comparison.first_wrong, 71u);
  EXPECT_GT(compare(got, table, 31, 4).wrong, 200);  // one element off is noticed
}

}  // namespace
}  // namespace railyard::hw
