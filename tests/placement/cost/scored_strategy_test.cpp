#include "placement/cost/scored_strategy.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

using namespace literals;

ScoredStrategy step_of(Time compute, Time tp, Time bubble) {
  ScoredStrategy scored;
  scored.step = {.total = compute + tp + bubble, .compute = compute, .tp = tp, .bubble = bubble};
  return scored;
}

// 10 s against 10.5 s: 2 s more of collectives, 1.5 s less of computation; half a millisecond of
// bubble is not worth a word.
TEST(WhySlower, NamesWhatGrewAndWhatShrank) {
  EXPECT_EQ(why_slower(step_of(9000_ms, 1000_ms, Time()), step_of(7500_ms, 3000_ms, 500_us)),
            "takes longer by 0.501 s (5.0 %): 2.000 s more tensor-parallel collectives, 1.500 s "
            "less compute");
  EXPECT_EQ(why_slower(step_of(9000_ms, 1000_ms, Time()), step_of(9000_ms, 1000_ms, 500_us)),
            "takes as long, with a difference below 0.1 % in every part");
  // 0.02 % of 10 s is no difference to report, but the two parts are.
  EXPECT_EQ(why_slower(step_of(9000_ms, 1000_ms, Time()), step_of(8902_ms, 1100_ms, Time())),
            "takes as long: 0.100 s more tensor-parallel collectives, 0.098 s less compute");
}

}  // namespace
}  // namespace railyard::placement
