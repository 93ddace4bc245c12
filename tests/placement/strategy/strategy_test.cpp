#include "placement/strategy/strategy.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

TEST(StrategyText, ReadsWhatItWrites) {
  const std::string text =
      "tp=8,pp=12,dp=4,zero=1,interleave=4,recompute=selective,sequence_parallel=true,schedule="
      "interleaved";
  Strategy s;
  parse_strategy(text, "--fix", s);
  EXPECT_EQ(s.tp, 8);
  EXPECT_EQ(s.recompute, Recompute::selective);
  EXPECT_EQ(to_text(s), text);
}

std::string error_of(const std::string& text) {
  Strategy s;
  try {
    parse_strategy(text, "--fix", s);
  } catch (const InputError& error) {
    return to_text(error.diagnostics().front());
  }
  return "";
}

TEST(StrategyText, SaysWhatIsWrong) {
  EXPECT_NE(error_of("tp").find("'tp' is not KEY=VALUE"), std::string::npos);
  EXPECT_NE(error_of("tp=8,tp=4").find("'tp' appears twice"), std::string::npos);
  EXPECT_NE(error_of("tpp=8").find("did you mean 'tp'"), std::string::npos) << error_of("tpp=8");
  EXPECT_NE(error_of("tp=0").find("tp"), std::string::npos);
  EXPECT_NE(error_of("recompute=ful").find("did you mean 'full'"), std::string::npos);
}

// Layers by stage say how many stages there are.
TEST(StrategyText, LayersOfStagesAreAList) {
  Strategy s;
  parse_strategy("tp=2,layers=10*2/6", "--fix", s);
  EXPECT_EQ(s.pp, 3);
  EXPECT_EQ(s.layers, (std::vector<int>{10, 10, 6}));
  EXPECT_EQ(to_text(s), "tp=2,pp=3,layers=10*2/6");
}

}  // namespace
}  // namespace railyard::placement
