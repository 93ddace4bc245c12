#include "placement/strategy/strategy_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;

TEST(StrategyNames, ShowDegreesAndWhatDiffers) {
  const StrategyNames names =
      name_strategies({"tp=8,pp=4,dp=2,zero=1,interleave=10,sequence_parallel=true,tp_overlap=true",
                       "tp=4,pp=1,dp=16,zero=1,interleave=5,sequence_parallel=true"});
  EXPECT_EQ(names.common, "zero 1, sequence_parallel");
  EXPECT_THAT(names.names,
              ElementsAre("tp8 pp4 dp2, interleave 10, tp_overlap", "tp4 dp16, interleave 5"));
}

TEST(StrategyNames, KeepListsTogether) {
  const StrategyNames names = name_strategies({"pp=2,layers=[3,5]", "pp=2,layers=[4,4]"});
  EXPECT_EQ(names.common, "");
  EXPECT_THAT(names.names, ElementsAre("pp2, layers [3,5]", "pp2, layers [4,4]"));
}

TEST(StrategyNames, OfOneGpuAreNotEmpty) {
  EXPECT_THAT(name_strategies({"dp=1"}).names, ElementsAre("one GPU"));
}

}  // namespace
}  // namespace railyard::placement
