#include "placement/strategy/fitting_change.hpp"

#include <gtest/gtest.h>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/scored_strategy.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

struct Case {
  Job job;
  Processor gpu = read_processor("h100_sxm");
  ClosedForm model{
      {.gpus_per_node = 8, .nvlink = 360_GBps, .nics = 400_GBps, .nic_count = 8, .overheads = {}}};
  TypeContext context() {
    return {.job = job, .gpu = gpu, .communication = model, .gpus_per_node = 8};
  }
};

/// What is said, applied to the strategy, fits.
void expect_cured(Case& c, const Strategy& s, const std::string& how) {
  ASSERT_FALSE(score(c.context(), s).fits);
  EXPECT_EQ(fitting_change(c.context(), s).value_or("nothing"), how);
  Strategy cured = s;
  parse_strategy(how, "", cured);
  EXPECT_TRUE(score(c.context(), cured).fits) << how;
  EXPECT_EQ(cured.gpus(), s.gpus());
}

// Llama 3 8B on 32 H100: 8 billion x 18 bytes / 2 are 72 GB with tp 2; sharding the optimizer is
// enough. Without tp weights and gradients alone are 48 GB and activations 33 GB.
TEST(FittingChange, IsTheSmallestThatHelps) {
  Case c{.job = read_job("llama3_8b")};
  expect_cured(c, {.tp = 2, .dp = 16}, "zero=1");
  expect_cured(c, {.dp = 32, .zero = 1}, "recompute=full");
}

// GPT-3 on 64: no sharding of 175 billion parameters over 8 replicas of tp 8 fits with one stage.
TEST(FittingChange, UsesReplicasWhereNothingElseHelps) {
  Case c{.job = read_job("gpt3_175b")};
  const auto how = fitting_change(c.context(), {.tp = 8, .dp = 8});
  ASSERT_TRUE(how);
  Strategy s{.tp = 8, .dp = 8};
  parse_strategy(*how, "", s);
  EXPECT_TRUE(score(c.context(), s).fits) << *how;
  EXPECT_FALSE(fitting_change(c.context(), {.tp = 8}));
}

}  // namespace
}  // namespace railyard::placement
