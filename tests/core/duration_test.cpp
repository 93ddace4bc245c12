#include "core/duration.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace railyard::core {
namespace {

TEST(Duration, ReadsCalendarUnits) {
  EXPECT_EQ(parse_duration("60days").value, Duration::days(60));
  EXPECT_EQ(parse_duration("20.4 h").value, Duration::seconds(73'440));
  EXPECT_EQ(parse_duration("10 min").value, Duration::seconds(600));
  EXPECT_EQ(parse_duration("2 weeks").value, Duration::days(14));
  EXPECT_EQ(parse_duration("1 year").value->hours(), 8766);
  for (const char* wrong : {"60", "-3days", "3 moons", ""})
    EXPECT_FALSE(parse_duration(wrong).value) << wrong;
}

TEST(Duration, TheSchemaAcceptsEveryUnitThatIsRead) {
  const std::regex pattern(duration_pattern());
  for (const char* unit : {"ms", "s", "second", "seconds", "min", "minute", "minutes", "h", "hour",
                           "hours", "d", "day", "days", "w", "week", "weeks", "year", "years"}) {
    const std::string text = std::string("1.5 ") + unit;
    EXPECT_TRUE(parse_duration(text).value) << text;
    EXPECT_TRUE(std::regex_match(text, pattern)) << text;
  }
  for (const char* wrong : {"60", "-3days", "3 moons", ""})
    EXPECT_FALSE(std::regex_match(wrong, pattern)) << wrong;
}

TEST(Duration, PrintsWhatItReads) {
  for (const char* text : {"60 days", "90 s", "36 h", "20 ms", "0 s"})
    EXPECT_EQ(to_text(*parse_duration(text).value), text);
}

}  // namespace
}  // namespace railyard::core
