#include "hw/local/check_result.hpp"

#include <gtest/gtest.h>

#include <array>

#include "hw/local/block_memory.hpp"

namespace railyard::hw {
namespace {

TEST(CheckResult, ASumHasTheTextOfTheFirstCheckThatFoundSomething) {
  CheckResult sum;
  sum += {};
  sum += {.wrong = 2, .first_wrong = "rank 1"};
  sum += {.wrong = 3, .first_wrong = "rank 2"};
  EXPECT_EQ(sum.wrong, 5);
  EXPECT_EQ(sum.first_wrong, "rank 1");
}

// The table 10 20 30 repeats. The range begins with its element 2, so it must hold 30 10 20 30 10.
// Elements 1 and 3 differ; the range lies 4 bytes behind the beginning of its block.
TEST(CheckRange, CountsWrongElementsAndShowsTheFirst) {
  const std::array table{std::byte{10}, std::byte{20}, std::byte{30}};
  const std::array got{std::byte{30}, std::byte{11}, std::byte{20}, std::byte{31}, std::byte{10}};
  const CheckResult result = check_range(
      {.participant = 3, .block = 7},
      {.type = collectives::DataType::uint8, .got = got, .table = table, .first = 2, .offset = 4});
  EXPECT_EQ(result.wrong, 2);
  EXPECT_EQ(result.first_wrong, "rank 3, block 7, byte offset 5: expected 10, got 11");
}

// Of floats, 1.0 differs from 1.25 by the tolerance, and 1.5 by more.
TEST(CheckRange, LetsFloatsDifferByTheTolerance) {
  const std::array<float, 1> table{1.0F};
  const std::array<float, 2> got{1.25F, 1.5F};
  const CheckResult result = check_range({}, {.type = collectives::DataType::float32,
                                              .got = std::as_bytes(std::span(got)),
                                              .table = std::as_bytes(std::span(table)),
                                              .tolerance = 0.25});
  EXPECT_EQ(result.wrong, 1);
  EXPECT_EQ(result.first_wrong, "rank 0, block 0, byte offset 4: expected 1, got 1.5");
}

}  // namespace
}  // namespace railyard::hw
