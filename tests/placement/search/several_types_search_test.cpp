#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "core/diagnostic.hpp"
#include "placement/search/pipelines.hpp"
#include "placement/search/search.hpp"
#include "tests/placement/two_types.hpp"

namespace railyard::placement {
namespace {

using Lists = std::vector<std::vector<int>>;

/// Every list of `count` numbers from `least` that add up to `sum`.
Lists lists(int count, int least, int sum) {
  if (count == 1) return sum >= least ? Lists{{sum}} : Lists{};
  Lists all;
  for (int n = least; n <= sum; ++n) {
    for (std::vector<int>& rest : lists(count - 1, least, sum - n)) {
      rest.insert(rest.begin(), n);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

/// Every way to put pp x dp stages on two types with `gpus` GPUs each.
Lists assignments(int stages, int gpus) {
  Lists all;
  for (int bits = 0; bits < 1 << stages; ++bits) {
    std::vector<int> types;
    for (int i = 0; i < stages; ++i) types.push_back(bits >> i & 1);
    const auto second = std::accumulate(types.begin(), types.end(), 0);
    if (second <= gpus && stages - second <= gpus) all.push_back(std::move(types));
  }
  return all;
}

/// The best of everything: any type for any stage of any replica, any layers, any micro-batches.
ScoredStrategy best_of_all(const TwoTypes& two, int gpus) {
  ScoredStrategy best;
  best.step.total = Time::never();
  const auto consider = [&](const Strategy& s, const std::vector<int>& types,
                            const std::vector<int>& batches, const TypeBlocks& blocks) {
    Strategy mixed = s;
    const auto pp = static_cast<std::ptrdiff_t>(s.pp);
    for (std::ptrdiff_t d = 0; d < s.dp; ++d)
      mixed.classes.push_back({.types = {types.begin() + d * pp, types.begin() + (d + 1) * pp},
                               .replicas = 1,
                               .micro_batches = batches[static_cast<std::size_t>(d)]});
    const ScoredStrategy scored = score(two.context(), mixed, blocks.shapes, blocks.blocks);
    if (scored.fits && scored.step.total < best.step.total) best = scored;
  };
  for (int pp = 1; pp <= 2 * gpus; ++pp) {
    for (int dp = 1; pp * dp <= 2 * gpus; ++dp) {
      for (const Recompute recompute : {Recompute::none, Recompute::full}) {
        for (int zero = 0; zero <= (dp == 1 ? 0 : pp == 1 ? 3 : 1); ++zero) {
          Strategy s{.pp = pp, .dp = dp, .zero = zero, .recompute = recompute};
          const TypeBlocks blocks = type_blocks(two.context(), s);
          for (const std::vector<int>& layers : lists(pp, 1, two.job.model.layers)) {
            s.layers = layers;
            for (const std::vector<int>& batches : lists(dp, 1, two.job.batch))
              for (const std::vector<int>& types : assignments(pp * dp, gpus))
                consider(s, types, batches, blocks);
          }
        }
      }
    }
  }
  return best;
}

SearchSpace narrow() {
  return {.top = 1, .overlap = false, .largest_tp = 1, .largest_micro_batch = 1};
}

void expect_the_best_of_all(const TwoTypes& two) {
  const SearchResult found = search(two.context(), narrow());
  ASSERT_FALSE(found.best.empty());
  const ScoredStrategy best = best_of_all(two, two.types[0].gpus());
  EXPECT_EQ(found.best.front().step.total, best.step.total)
      << to_text(found.best.front().strategy) << "\n"
      << to_text(best.strategy);
}

TEST(SearchOverTypes, NoWayToUseTwoTypesIsFaster) {
  expect_the_best_of_all(TwoTypes(five_layers(7), "h100_sxm", "a100_sxm_80", 2, 1));
  expect_the_best_of_all(TwoTypes(five_layers(4), "h100_sxm", "v100_sxm", 2, 1));
}

// With memory for three layers' state on the slow type, pipelines must be uneven.
TEST(SearchOverTypes, NoWayThatFitsSmallMemoriesIsFaster) {
  TwoTypes two(five_layers(6), "h100_sxm", "a100_sxm_80", 2, 1);
  const Strategy s{.layers = {5}};
  const Bytes whole = stage_memory(two.job, s, 0, memory_traits(two.types[1].gpu)).total();
  two.types[0].gpu.gpu.memory = Bytes(whole.count() * 3 / 4);
  two.types[1].gpu.gpu.memory = Bytes(whole.count() / 2);
  expect_the_best_of_all(two);
}

TEST(SearchOverTypes, PruningNeverCutsTheBest) {
  const TwoTypes two(five_layers(12), "h100_sxm", "a100_sxm_80", 4, 4);
  SearchSpace space{.top = 3, .largest_tp = 4, .largest_micro_batch = 4};
  const SearchResult pruned = search(two.context(), space);
  space.prune = false;
  const SearchResult whole = search(two.context(), space);
  ASSERT_EQ(pruned.best.size(), whole.best.size());
  for (std::size_t i = 0; i < whole.best.size(); ++i)
    EXPECT_EQ(pruned.best[i].step.total, whole.best[i].step.total);
  EXPECT_LT(pruned.evaluated, whole.evaluated);
}

// What it finds, given as text, is found again.
TEST(SearchOverTypes, WhatItFoundCanBeGiven) {
  const TwoTypes two(five_layers(12), "h100_sxm", "a100_sxm_80", 4, 4);
  const SearchResult found = search(two.context(), {.top = 3});
  for (const ScoredStrategy& one : found.best) {
    SearchSpace space{.top = 1};
    space.fix = given(to_text(one.strategy));
    const SearchResult again = search(two.context(), space);
    ASSERT_EQ(again.best.size(), 1U);
    EXPECT_EQ(again.best.front().step.total, one.step.total) << to_text(one.strategy);
    EXPECT_EQ(to_text(again.best.front().strategy), to_text(one.strategy));
  }
}

// No GPU holds a stage in a gigabyte: the strategy that exceeds it least is told, searched and
// given.
TEST(SearchOverTypes, WhereNothingFitsTheNearestIsTold) {
  TwoTypes two(five_layers(12), "h100_sxm", "a100_sxm_80", 4, 4);
  for (GpuType& type : two.types) type.gpu.gpu.memory = Bytes(1'000'000'000);
  const SearchResult found = search(two.context(), {.top = 3});
  EXPECT_TRUE(found.best.empty());
  ASSERT_TRUE(found.nearest);
  EXPECT_FALSE(found.nearest->fits);
  EXPECT_GT(found.too_large, 0U);
  SearchSpace space{.top = 1};
  space.fix = given("tp=4,stages=A+B");
  const SearchResult again = search(two.context(), space);
  EXPECT_TRUE(again.best.empty());
  ASSERT_TRUE(again.nearest);
  EXPECT_GE(again.nearest->memory.total(), found.nearest->memory.total());
}

// Six layers on three stages of a type, two chunks each: micro-batches in threes, all of them.
TEST(SearchOverTypes, ReplicasOfOneTypeMayInterleave) {
  Job job = five_layers(36);
  job.model.layers = 6;
  const TwoTypes two(job, "h100_sxm", "a100_sxm_80", 3, 1);
  SearchSpace space{.top = 1};
  space.fix = given("pp=3,interleave=2,schedule=interleaved,stages=A*3+B*3");
  const SearchResult found = search(two.context(), space);
  ASSERT_EQ(found.best.size(), 1U);
  const Strategy& mixed = found.best.front().strategy;
  EXPECT_EQ(all_micro_batches(job.batch, mixed), 36);
  for (const PipelineClass& one : mixed.classes) EXPECT_EQ(one.micro_batches % 3, 0);
  EXPECT_GT(mixed.classes[0].micro_batches, mixed.classes[1].micro_batches);
  EXPECT_TRUE(mixed.layers.empty());
  SearchSpace wide{.top = 3, .largest_tp = 1, .largest_micro_batch = 2};
  const SearchResult pruned = search(two.context(), wide);
  wide.prune = false;
  const SearchResult whole = search(two.context(), wide);
  for (std::size_t i = 0; i < whole.best.size(); ++i)
    EXPECT_EQ(pruned.best[i].step.total, whole.best[i].step.total);
}

TEST(StrategyText, ReadsClassesAndSaysWhatIsWrong) {
  const GivenStrategy fix =
      given("tp=2,stages=A*2/B+B*3,replicas=4+2,layers=10*2/5,batches=9+3,zero=1");
  const std::vector<PipelineClass> classes{{.types = {0, 0, 1}, .replicas = 4, .micro_batches = 9},
                                           {.types = {1, 1, 1}, .replicas = 2, .micro_batches = 3}};
  EXPECT_EQ(fix.strategy.classes, classes);
  EXPECT_EQ(fix.strategy.pp, 3);
  EXPECT_EQ(fix.strategy.zero, 1);
  EXPECT_TRUE(fix.given.pp);
  EXPECT_FALSE(fix.given.dp);
  EXPECT_TRUE(given("tp=2,layers=3/2").strategy.classes.empty());
  for (const char* text :
       {"stages=a", "stages=A*", "stages=A,replicas=1+2", "replicas=2", "stages=A/B,pp=3",
        "stages=A/B+A", "stages=A,batches=0", "stages=A,batches=x", "stages=A,stages=A"})
    EXPECT_THROW((void)given(text), InputError) << text;
}

// There are two types.
TEST(SearchOverTypes, ATypeThatIsNotThereIsAnError) {
  const TwoTypes two(five_layers(12), "h100_sxm", "a100_sxm_80", 4, 4);
  EXPECT_THROW((void)search(two.context(), {.top = 1, .fix = given("stages=C")}), InputError);
}

// 4 x 1 + 4 x 3 = 16 micro-batches, after each of which ZeRO 2 reduces gradients; 2 each would do.
TEST(SearchOverTypes, WhyGivenClassesCannotRunIsSaid) {
  const TwoTypes two(five_layers(16), "h100_sxm", "a100_sxm_80", 4, 4);
  const auto problem = [&](const std::string& text) -> std::string {
    try {
      (void)search(two.context(), {.top = 1, .fix = given(text)});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  const std::string classes = "stages=A+B,replicas=4+4,";
  EXPECT_NE(problem(classes + "zero=2,batches=1+3").find("zero 2 reduces gradients after each"),
            std::string::npos);
  EXPECT_EQ(problem(classes + "zero=2,batches=2+2"), "");
  EXPECT_EQ(problem(classes + "zero=1,batches=1+3"), "");
}

TEST(Pipelines, UseNoMoreThanThereIs) {
  const std::vector<int> units{3, 5};
  const std::vector<Pipelines> ways = pipelines_of(units, 8);
  bool pure = false, mixed = false;
  for (const Pipelines& way : ways) {
    std::vector<int> used(2, 0);
    int replicas = 0;
    for (const PipelineClass& one : way.classes) {
      EXPECT_EQ(static_cast<int>(one.types.size()), way.pp);
      replicas += one.replicas;
      for (const int type : one.types) used[static_cast<std::size_t>(type)] += one.replicas;
    }
    EXPECT_EQ(replicas, way.dp);
    EXPECT_EQ(used, way.used);
    EXPECT_LE(used[0], 3);
    EXPECT_LE(used[1], 5);
    pure = pure || (way.pp == 1 && way.dp == 8);
    mixed = mixed || (way.pp == 8 && way.dp == 1 && way.classes.size() == 1);
  }
  EXPECT_TRUE(pure);
  EXPECT_TRUE(mixed);
  EXPECT_EQ(ways.front().used, (std::vector<int>{3, 5}));
}

}  // namespace
}  // namespace railyard::placement
