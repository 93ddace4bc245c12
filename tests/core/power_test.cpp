#include "core/power.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(PowerText, ReadsWattsKilowattsAndMegawatts) {
  EXPECT_EQ(parse_power("700 W").value, Power::milliwatts(700'000));
  EXPECT_EQ(parse_power("1.2kW").value, Power::milliwatts(1'200'000));
  EXPECT_EQ(parse_power("3 MW").value, Power::milliwatts(3'000'000'000));
  EXPECT_EQ(to_text(Power::milliwatts(1'200'500)), "1200.5 W");
  EXPECT_DOUBLE_EQ(Power::milliwatts(1'200'500).watts(), 1200.5);
}

TEST(PowerText, RefusesWhatHasNoUnitOrIsNegativeOrTooLarge) {
  for (const char* text : {"700", "700 w", "-1 W", "W", "", "1e12 MW"})
    EXPECT_FALSE(parse_power(text).value) << text;
}

}  // namespace
}  // namespace railyard::core
