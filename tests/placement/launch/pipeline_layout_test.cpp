#include "placement/launch/pipeline_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The examples of Megatron's help and of its parser's comments.
TEST(PipelineLayout, IsReadAsMegatronReadsIt) {
  const PipelineLayout help = parse_layout("E|(t|)*3,m|m||L");
  EXPECT_THAT(help.layers, ElementsAre(0, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_EQ(help.mtp, 2);
  EXPECT_EQ(help.problem, "");
  // DeepSeek-V3 on 16 ranks of two chunks: 3, then 29 times 2, then none beside m and L.
  const PipelineLayout deepseek = parse_layout("Et*3|(tt|)*29,m|L");
  ASSERT_EQ(deepseek.layers.size(), 32U);
  EXPECT_EQ(deepseek.layers.front(), 3);
  EXPECT_EQ(deepseek.layers[29], 2);
  EXPECT_EQ(deepseek.layers[30], 0);
  EXPECT_EQ(deepseek.layers[31], 0);
  EXPECT_EQ(deepseek.mtp, 1);
  EXPECT_THAT(parse_layout("Et\\*2\\|t\\*4L").layers, ElementsAre(2, 4));
  EXPECT_THAT(parse_layout("E(t|)*2tL").layers, ElementsAre(1, 1, 1));
}

TEST(PipelineLayout, SaysWhatIsWrong) {
  EXPECT_THAT(parse_layout("Et|xL").problem, HasSubstr("has a 'x'"));
  EXPECT_THAT(parse_layout("t|tL").problem, HasSubstr("needs one E, at the beginning"));
  EXPECT_THAT(parse_layout("|EtL").problem, HasSubstr("needs one E, at the beginning"));
  EXPECT_THAT(parse_layout("Et|t").problem, HasSubstr("needs one L, at the end"));
  EXPECT_THAT(parse_layout("E(t|L").problem, HasSubstr("without an end"));
  EXPECT_THAT(parse_layout("E(t|)L").problem, HasSubstr("number of times"));
  EXPECT_THAT(parse_layout("Et*99999999L").problem, HasSubstr("number of times"));
  EXPECT_THAT(parse_layout("").problem, HasSubstr("needs one E"));
}

TEST(PipelineLayout, IsWrittenAsItIsRead) {
  EXPECT_EQ(to_layout_text({3, 1, 0, 2}), "Et*3|t||t*2L");
  EXPECT_THAT(parse_layout(to_layout_text({3, 1, 0, 2})).layers, ElementsAre(3, 1, 0, 2));
  EXPECT_EQ(to_layout_text({4}), "Et*4L");
}

}  // namespace
}  // namespace railyard::placement
