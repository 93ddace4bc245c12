#include "core/flop_rate.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(FlopRateText, ReadsGigaTeraAndPeta) {
  EXPECT_EQ(parse_flop_rate("312 TFLOP/s").value, FlopRate::per_second(312'000'000'000'000));
  EXPECT_EQ(parse_flop_rate("1.979 PFLOP/s").value, FlopRate::per_second(1'979'000'000'000'000));
  EXPECT_EQ(parse_flop_rate("15700GFLOP/s").value, FlopRate::per_second(15'700'000'000'000));
  EXPECT_EQ(to_text(FlopRate::per_second(15'700'000'000'000)), "15.7 TFLOP/s");
}

TEST(FlopRateText, RefusesWhatHasNoUnitOrIsNegativeOrTooLarge) {
  for (const char* text : {"312", "312 GB/s", "-1 TFLOP/s", "TFLOP/s", "", "1e5 PFLOP/s"})
    EXPECT_FALSE(parse_flop_rate(text).value) << text;
}

}  // namespace
}  // namespace railyard::core
