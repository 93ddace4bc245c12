#include "core/text_pattern.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

TEST(TextPattern, FindsPartsAndIgnoresCaseUnlessToldOtherwise) {
  EXPECT_TRUE(TextPattern("a100|A800").is_in("gpu: NVIDIA A100-SXM4"));
  EXPECT_FALSE(TextPattern("a100", TextPattern::Case::counts).is_in("A100"));
  EXPECT_TRUE(TextPattern("").is_in("anything"));
  EXPECT_FALSE(TextPattern("8").is_all_of("18"));
  EXPECT_TRUE(TextPattern(TextPattern::quoted("a.b") + "[^.]*").is_all_of("a.bcd"));
  EXPECT_FALSE(TextPattern(TextPattern::quoted("a.b")).is_in("axb"));
}

TEST(TextPattern, WholeWordsAreNoPartsOfLongerNames) {
  const TextPattern product(TextPattern::whole_words("H100|B200"));
  for (const char* name : {"H100", "NVIDIA h100 80GB", "DGX-H100", "H100_SXM", "(B200)"})
    EXPECT_TRUE(product.is_in(name)) << name;
  for (const char* name : {"H1000", "GH100", "GB200", "H100X", ""})
    EXPECT_FALSE(product.is_in(name)) << name;
}

TEST(TextPattern, GivesTheFirstGroup) {
  const TextPattern release(R"(NCCL\D{0,12}2\.(\d{1,4}))");
  EXPECT_EQ(release.first_group("software: NCCL 2.29.3"), "29");
  EXPECT_FALSE(release.first_group("NCCL"));
}

TEST(TextPattern, ALongTextAndAnExponentialExpressionTakeLinearTime) {
  // std::regex recurses once per letter of the first, and takes 2^n steps for the second.
  EXPECT_FALSE(TextPattern("A100.*PCIe").is_in("A100" + std::string(10'000'000, 'x')));
  EXPECT_FALSE(TextPattern("(x+x+)+y").is_in(std::string(100'000, 'x')));
}

TEST(TextPattern, AWrongExpressionIsWrongInput) {
  for (const char* wrong : {"(", "[a", "x**", "(?=a)", "(((a{1000}){1000}){1000})"}) {
    EXPECT_THROW(TextPattern{wrong}, InputError) << wrong;
    EXPECT_NE(TextPattern::problem(wrong), "") << wrong;
  }
}

}  // namespace
}  // namespace railyard::core
