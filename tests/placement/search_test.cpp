#include "placement/search.hpp"

#include <gtest/gtest.h>

#include "placement/closed_form.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

struct Problem {
  Job job;
  Processor gpu = read_processor("a100_sxm_80");
  ClosedForm model{
      {.gpus_per_node = 8, .nvlink = 240_GBps, .nics = 200_GBps, .nic_count = 8, .overheads = {}}};
  CostContext context() {
    return {.job = job, .gpu = gpu, .communication = model, .gpus_per_node = 8};
  }
  static Problem of(const std::string& model, int batch, int sequence) {
    Problem p;
    p.job = {.name = model, .model = read_model(model), .batch = batch, .sequence = sequence};
    p.job.attention = AttentionKernel::unfused;
    return p;
  }
};

void expect_same_best(Problem problem, int gpus, bool offload) {
  SearchSpace space{.gpus = gpus, .top = 3, .offload = offload};
  const SearchResult pruned = search(problem.context(), space);
  space.prune = false;
  const SearchResult whole = search(problem.context(), space);
  ASSERT_EQ(pruned.best.size(), whole.best.size());
  ASSERT_FALSE(pruned.best.empty());
  for (std::size_t i = 0; i < pruned.best.size(); ++i)
    EXPECT_EQ(pruned.best[i].strategy, whole.best[i].strategy) << to_text(whole.best[i].strategy);
  EXPECT_EQ(pruned.strategies, whole.strategies);
  EXPECT_LT(pruned.evaluated, whole.evaluated);
}

TEST(Search, PruningNeverCutsTheBest) {
  expect_same_best(Problem::of("megatron_1.7b", 32, 2048), 8, false);
  expect_same_best(Problem::of("megatron_18b", 64, 2048), 32, false);
  expect_same_best(Problem::of("mixtral_8x7b", 64, 4096), 64, false);
}

TEST(Search, PruningNeverCutsTheBestWithOffloading) {
  expect_same_best(Problem::of("megatron_7.5b", 16, 2048), 8, true);
}

// What it returns fits, is in order, and scores alone as it did in the search.
TEST(Search, TheBestFitAndScoreTheSameAlone) {
  Problem p = Problem::of("megatron_18b", 64, 2048);
  const SearchResult result = search(p.context(), {.gpus = 32});
  ASSERT_EQ(result.best.size(), 10U);
  for (std::size_t i = 0; i < result.best.size(); ++i) {
    const Scored alone = score(p.context(), result.best[i].strategy);
    EXPECT_TRUE(alone.fits);
    EXPECT_EQ(alone.step.total, result.best[i].step.total);
    EXPECT_GE(alone.step.total, result.best[i > 0 ? i - 1 : 0].step.total);
  }
}

// 530 billion parameters on 8 GPUs: 18 bytes each are 1.2 TB a GPU.
TEST(Search, WhereNothingFitsItSaysWhatIsNearest) {
  Problem p = Problem::of("megatron_530b", 8, 2048);
  const SearchResult result = search(p.context(), {.gpus = 8});
  EXPECT_TRUE(result.best.empty());
  ASSERT_TRUE(result.nearest);
  EXPECT_EQ(result.too_large, result.strategies);
  EXPECT_NE(bound_by(p.context(), *result.nearest).find("memory: "), std::string::npos);
}

TEST(Search, StopsWhenItIsTold) {
  Problem p = Problem::of("megatron_18b", 256, 2048);
  const SearchResult result =
      search(p.context(), {.gpus = 256, .keep_going = [](double) { return false; }});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.strategies, 8192U);
}

}  // namespace
}  // namespace railyard::placement
