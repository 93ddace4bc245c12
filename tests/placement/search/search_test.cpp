#include "placement/search/search.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "placement/cost/closed_form.hpp"
#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/uneven_stages.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

struct Problem {
  Job job;
  Processor gpu = read_processor("a100_sxm_80");
  ClosedForm model{
      {.gpus_per_node = 8, .nvlink = 240_GBps, .nics = 200_GBps, .nic_count = 8, .overheads = {}}};
  TypeContext context() {
    return {.job = job, .gpu = gpu, .communication = model, .gpus_per_node = 8};
  }
  static Problem of(const std::string& model, int batch, int sequence) {
    Problem p;
    p.job = {.name = model, .model = read_model(model), .batch = batch, .sequence = sequence};
    p.job.attention = AttentionKernel::unfused;
    return p;
  }
};

/// Everything that a search can choose from.
SearchSpace all_of(int gpus) {
  return {.gpus = gpus,
          .top = 3,
          .zero_bubble = true,
          .dualpipe = true,
          .ep_overlap = true,
          .shard_groups = true,
          .sharded_stages = true,
          .uneven_stages = true};
}

void expect_same_best(Problem problem, SearchSpace space) {
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

void expect_same_best(Problem problem, int gpus, bool offload) {
  expect_same_best(std::move(problem), {.gpus = gpus, .top = 3, .offload = offload});
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
    const ScoredStrategy alone = score(p.context(), result.best[i].strategy);
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

TEST(Search, PruningNeverCutsTheBestOfAllThatThereIs) {
  expect_same_best(Problem::of("megatron_1.7b", 16, 2048), all_of(8));
  expect_same_best(Problem::of("mixtral_8x7b", 16, 4096), all_of(16));
}

/// Small models of all kinds with sizes drawn from a seed: heads, experts, layers, batches that
/// divide some splits and not others, memories that some fit.
Problem drawn(std::mt19937& random) {
  const auto one_of = [&](std::initializer_list<int> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
  };
  Problem p;
  const int heads = one_of({6, 8, 12, 16});
  Model m{.name = "drawn",
          .layers = one_of({4, 6, 10, 12}),
          .hidden = heads * 64,
          .ffn = heads * 64 * one_of({3, 4}),
          .heads = heads,
          .kv_heads = one_of({0, 2}),
          .vocabulary = one_of({2048, 32000, 128000}),
          .mlp = one_of({0, 1}) == 0 ? Mlp::gelu : Mlp::swiglu,
          .tied_embeddings = one_of({0, 1}) == 0};
  if (one_of({0, 1}) == 1)
    m.moe =
        MoeSpec{.experts = one_of({4, 8}), .top_k = 2, .ffn = 512, .dense_layers = one_of({0, 1})};
  p.job = {.name = "drawn",
           .model = m,
           .batch = one_of({8, 12, 16, 24}),
           .sequence = one_of({512, 2048})};
  p.job.attention = one_of({0, 1}) == 0 ? AttentionKernel::flash : AttentionKernel::unfused;
  p.gpu.gpu.memory = Bytes(one_of({6000, 7000, 9000, 20000}) * 1'000'000LL);
  return p;
}

TEST(Search, PruningNeverCutsTheBestOfDrawnJobs) {
  std::mt19937 random(1);
  int found = 0;
  for (int i = 0; i < 24; ++i) {
    Problem p = drawn(random);
    SearchSpace space = i % 2 == 0 ? all_of(8) : SearchSpace{.gpus = 12, .top = 3};
    space.offload = i % 4 == 3;
    const SearchResult pruned = search(p.context(), space);
    space.prune = false;
    const SearchResult whole = search(p.context(), space);
    ASSERT_EQ(pruned.strategies, whole.strategies);
    ASSERT_EQ(pruned.best.size(), whole.best.size()) << i;
    for (std::size_t k = 0; k < pruned.best.size(); ++k)
      EXPECT_EQ(to_text(pruned.best[k].strategy), to_text(whole.best[k].strategy)) << i;
    found += pruned.best.empty() ? 0 : 1;
    // Each is valid, fits, and alone scores the same.
    for (const ScoredStrategy& one : pruned.best) {
      EXPECT_TRUE(is_valid(p.job, one.strategy, space.gpus)) << to_text(one.strategy);
      EXPECT_EQ(score(p.context(), one.strategy).step.total, one.step.total);
      EXPECT_TRUE(score(p.context(), one.strategy).fits);
    }
  }
  EXPECT_GT(found, 12);
}

// More memory or a wider space never loses the best.
TEST(Search, MoreToChooseFromIsNeverSlower) {
  std::mt19937 random(2);
  for (int i = 0; i < 8; ++i) {
    Problem p = drawn(random);
    const auto best = [&](const SearchSpace& space) {
      const SearchResult result = search(p.context(), space);
      return result.best.empty() ? Time::never() : result.best.front().step.total;
    };
    const Time plain = best({.gpus = 8});
    EXPECT_LE(best(all_of(8)), plain);
    EXPECT_LE(best({.gpus = 8, .offload = true}), plain);
    p.gpu.gpu.memory = Bytes(2 * p.gpu.gpu.memory.count());
    EXPECT_LE(best({.gpus = 8}), plain);
  }
}

// A model that fits with all its layers recomputed, not with none: the fewest that do are found,
// one less does not fit.
TEST(Search, NoMoreLayersAreRecomputedThanMust) {
  Problem p = Problem::of("megatron_7.5b", 64, 2048);
  const SearchResult result = search(p.context(), {.gpus = 8, .top = 500});
  int partly = 0;
  for (const ScoredStrategy& one : result.best) {
    if (one.strategy.recompute_layers < 2) continue;
    ++partly;
    Strategy fewer = one.strategy;
    --fewer.recompute_layers;
    EXPECT_FALSE(score(p.context(), fewer).fits) << to_text(one.strategy);
  }
  EXPECT_GT(partly, 0);
}

// Llama 3 8B's head of 128,256 tokens takes as long as 2.4 layers: of 32 on 4 stages the last gets
// fewer, and a step is shorter than with 8 each.
TEST(Search, UnevenStagesMakeRoomForTheHead) {
  Problem p = Problem::of("llama3_8b", 64, 8192);
  p.job.attention = AttentionKernel::flash;
  const Strategy even{.pp = 4, .dp = 2, .zero = 1, .recompute = Recompute::full};
  Strategy uneven = even;
  const auto c = p.context();
  uneven.layers = balanced_layers(p.job.model, even,
                                  block_costs(c, even, group_shapes(even, kDefaultOrder, 8)));
  EXPECT_EQ(std::accumulate(uneven.layers.begin(), uneven.layers.end(), 0), 32);
  EXPECT_LT(uneven.layers.back(), 8);
  EXPECT_LT(score(c, uneven).step.total, score(c, even).step.total);
}

}  // namespace
}  // namespace railyard::placement
