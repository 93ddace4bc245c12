#include "apps/cli/flag_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::apps {
namespace {

using ::testing::ElementsAre;
using Words = std::vector<std::string>;

TEST(FlagWords, AValueIsTheNextWordOrBehindAnEqualsSign) {
  EXPECT_EQ(value_of_flag({"sim", "--nodes", "4"}, "--nodes"), "4");
  EXPECT_EQ(value_of_flag({"sim", "--nodes=4"}, "--nodes"), "4");
  EXPECT_EQ(value_of_flag({"sim", "--nodes=4", "--nodes", "8"}, "--nodes"), "8");
  EXPECT_EQ(value_of_flag({"sim", "--nodes-per-rack", "4"}, "--nodes"), "");
  EXPECT_EQ(value_of_flag({"sim", "--nodes"}, "--nodes"), "");
  EXPECT_TRUE(find_flag({"sim", "--nodes"}, "--nodes").has_value());
}

TEST(FlagWords, AValueIsReplacedInItsPlace) {
  Words words{"sim", "--nodes", "4", "--gpus=8"};
  set_value(words, *find_flag(words, "--nodes"), "2");
  set_value(words, *find_flag(words, "--gpus"), "16");
  EXPECT_THAT(words, ElementsAre("sim", "--nodes", "2", "--gpus=16"));
}

TEST(FlagWords, AFlagIsTakenWithItsValue) {
  Words words{"sim", "--json", "a", "--csv=b", "--links"};
  EXPECT_EQ(take_flag(words, "--json"), "a");
  EXPECT_EQ(take_flag(words, "--csv"), "b");
  EXPECT_EQ(take_flag(words, "--trace"), "");
  EXPECT_EQ(take_flag(words, "--links"), "");
  EXPECT_THAT(words, ElementsAre("sim", "--links"));
}

}  // namespace
}  // namespace railyard::apps
