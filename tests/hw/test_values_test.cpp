#include "hw/test_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/enum_names.hpp"
#include "hw/reduction.hpp"

namespace railyard::hw {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

constexpr DataType kTypes[] = {DataType::int8,    DataType::int32,    DataType::int64,
                               DataType::float16, DataType::bfloat16, DataType::float32,
                               DataType::float64};
constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max};
constexpr std::size_t kSizes[] = {1, 4, 8, 2, 2, 4, 8};

TEST(TestValues, ReduceExactlyInAnyOrder) {
  constexpr std::uint64_t kCount = 1000;
  std::mt19937 random(7);
  for (const std::uint32_t ranks : {1U, 2U, 17U, 300U, 3000U}) {
    std::vector<std::uint32_t> order(ranks);
    for (std::uint32_t i = 0; i < ranks; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t t = 0; t < std::size(kTypes); ++t) {
      for (const ReduceOp op : kOps) {
        const TestValues values(kTypes[t], op, ranks, 5);
        std::vector<std::byte> sum = values.of(order[0], kCount);
        for (std::uint32_t i = 1; i < ranks; ++i) {
          const std::vector<std::byte> next = values.of(order[i], kCount);
          reduction(kTypes[t], op)(sum.data(), next.data(), kCount);
        }
        EXPECT_EQ(compare(sum, values.reduced(kCount), 0, kSizes[t]).wrong, 0)
            << ranks << " ranks, type " << t << ", op " << static_cast<int>(op);
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
