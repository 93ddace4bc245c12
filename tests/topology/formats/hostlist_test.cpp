#include "topology/formats/hostlist.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(std::string_view text) {
  const auto parsed = parse_hostlist(text);
  EXPECT_TRUE(parsed.value) << parsed.error;
  return parsed.value.value_or(std::vector<std::string>());
}

TEST(Hostlist, ExpandsRangesAndLists) {
  EXPECT_THAT(names_of("tux[0-2,7],login"), ElementsAre("tux0", "tux1", "tux2", "tux7", "login"));
  EXPECT_THAT(names_of("a, b"), ElementsAre("a", "b"));
  EXPECT_THAT(names_of("n[3]-ib"), ElementsAre("n3-ib"));
}

TEST(Hostlist, KeepsZeroPadding) {
  EXPECT_THAT(names_of("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(names_of("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(names_of("n[099-101]"), ElementsAre("n099", "n100", "n101"));
}

TEST(Hostlist, CountsTheLastBracketFastest) {
  EXPECT_THAT(names_of("r[0-1]n[1-2]"), ElementsAre("r0n1", "r0n2", "r1n1", "r1n2"));
}

TEST(Hostlist, SaysWhatIsWrong) {
  EXPECT_EQ(parse_hostlist("n[1-2").error, "'[' without ']'");
  EXPECT_EQ(parse_hostlist("n1]").error, "']' without '['");
  EXPECT_EQ(parse_hostlist("n[1-[2]]").error, "'[' within brackets");
  EXPECT_EQ(parse_hostlist("n[5-2]").error, "the range 5-2 is in descending order");
  EXPECT_EQ(parse_hostlist("n[a-b]").error, "'a' is not a number");
  EXPECT_EQ(parse_hostlist("n[]").error, "'' is not a number");
  EXPECT_EQ(parse_hostlist("a,,b").error, "a name is missing");
  EXPECT_EQ(parse_hostlist("").error, "a name is missing");
  EXPECT_EQ(parse_hostlist("a b").error, "a name with a blank or one of []=#\"' in it");
  EXPECT_EQ(parse_hostlist("a\vb").error, parse_hostlist("a b").error);
  EXPECT_EQ(parse_hostlist("a#b").error, parse_hostlist("a b").error);
}

TEST(Hostlist, BoundsHowManyNamesItMakes) {
  EXPECT_EQ(parse_hostlist("n[0-999]", 999).error, "more than 999 names");
  EXPECT_EQ(parse_hostlist("n[0-998]", 999).value.value_or(std::vector<std::string>()).size(),
            999u);
  EXPECT_EQ(parse_hostlist("n[0-99]m[0-99]k[0-99]x[0-99]").error, "more than 1000000 names");
  EXPECT_EQ(parse_hostlist("n[0-999999999999999]").error, "more than 1000000 names");
}

TEST(Hostlist, FormatsRunsOfOnePrefixTogether) {
  const auto format = [](std::vector<std::string> names) { return format_hostlist(names); };
  EXPECT_EQ(format({"n0", "n1", "n2", "n7", "login"}), "n[0-2,7],login");
  EXPECT_EQ(format({"n5"}), "n5");
  EXPECT_EQ(format({"n08", "n09", "n10"}), "n[08-10]");
  EXPECT_EQ(format({"n9", "n10"}), "n[9-10]");
  EXPECT_EQ(format({"n09", "n9"}), "n[09,9]");
  EXPECT_EQ(format({"b1", "a1", "a2"}), "b1,a[1-2]");
  EXPECT_EQ(format({}), "");
}

TEST(Hostlist, ReadsBackWhatItFormats) {
  for (const std::string_view text :
       {"r[0-3]n[01-16]", "a[1,3,5],b,c[098-102]", "x,y,z", "n[0-100]"}) {
    const std::vector<std::string> names = names_of(text);
    EXPECT_EQ(names_of(format_hostlist(names)), names) << text;
  }
}

}  // namespace
}  // namespace railyard::topology
