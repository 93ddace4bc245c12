#include "placement/model/towers.hpp"

#include <gtest/gtest.h>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/scored_strategy.hpp"
#include "placement/cost/tower_cost.hpp"
#include "placement/model/flops.hpp"
#include "placement/model/parameters.hpp"
#include "placement/strategy/stages.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

// CLIP ViT-L/14: a layer has 12h² + 13h with h = 1024, 12,596,224; 23 of them, 588 x 1024 of
// patches, 577 x 1024 positions, a norm. The projector: 1024 x 4096 + 4096 x 4096 with biases.
// Together with the 6,738,415,616 of Llama 2 7B's model card.
TEST(Towers, ParametersOfLlavaByHand) {
  const Model llava = read_model("llava15_7b");
  const TowerParameters p = tower_parameters(llava);
  EXPECT_EQ(p.frozen, 23 * 12'596'224 + 588 * 1024 + 577 * 1024 + 2048);
  EXPECT_EQ(p.trained, 0);
  EXPECT_EQ(p.projector, 1024 * 4096 + 4096 + 4096 * 4096 + 4096);
  EXPECT_EQ(count_parameters(llava).total, 6'738'415'616 + p.total());
}

// arXiv 2409.12191 has a tower of 675 million, which is with the projector of the 7B (into 3584),
// and 72 billion for the model without it: 72.7 billion by the card of Qwen2 72B.
TEST(Towers, ParametersOfQwen2VlAreThoseOfItsPaper) {
  Model qwen = read_model("qwen2_vl_72b");
  const TowerParameters large = tower_parameters(qwen);
  EXPECT_NEAR(static_cast<double>(count_parameters(qwen).total - large.total()), 72.7e9, 0.05e9);
  qwen.hidden = 3584;
  EXPECT_NEAR(static_cast<double>(tower_parameters(qwen).total()), 675e6, 0.005 * 675e6);
}

// Per token of a picture 2 operations a weight, 24h² a layer, and 4sh for attention without a
// mask; 577 tokens forward alone, since the tower is frozen; the projector over 576, three times.
TEST(Towers, OperationsOfAPictureByHand) {
  const Job job = read_job("llava15_7b");
  const double h = 1024, s = 577;
  const double tower = 23 * s * (24 * h * h + 4 * s * h) + 2 * 588 * h * s;
  const double projector = 2 * (1024.0 * 4096 + 4096.0 * 4096) * 576;
  EXPECT_DOUBLE_EQ(tower_flops(job), tower + 3 * projector);
  Job blind = job;
  blind.model.towers.clear();
  EXPECT_DOUBLE_EQ(step_flops(job), step_flops(blind) + 128 * tower_flops(job));
}

TEST(Towers, StandOnTheFirstStageOrOnTheirOwn) {
  const Model m = read_model("llava15_7b");
  const Strategy first{.pp = 2};
  EXPECT_EQ(stage_ends(m, first, 0, 2).towers, 1);
  EXPECT_TRUE(stage_ends(m, first, 0, 2).embedding);
  EXPECT_EQ(stage_layers(m, first, 0).total(), 16);
  const Strategy own{.pp = 4, .tower_stages = 2};
  EXPECT_EQ(stage_ends(m, own, 0, 4).towers, 0.5);
  EXPECT_FALSE(stage_ends(m, own, 0, 4).projector);
  EXPECT_TRUE(stage_ends(m, own, 1, 4).projector);
  EXPECT_TRUE(stage_ends(m, own, 2, 4).embedding);
  EXPECT_TRUE(stage_ends(m, own, 3, 4).head);
  EXPECT_EQ(stage_layers(m, own, 1).total(), 0);
  EXPECT_EQ(stage_layers(m, own, 2).total(), 16);
  EXPECT_EQ(stage_layers(m, own, 3).total(), 16);
}

// A frozen tower leaves 2 bytes a parameter; a trained one 18 and what its layers keep.
TEST(Towers, AFrozenTowerIsWeightsAlone) {
  Job job = read_job("llava15_7b");
  const Strategy s{.dp = 8};
  const MemoryParts frozen = stage_memory(job, s, 0, {});
  Job blind = job;
  blind.model.towers.clear();
  const MemoryParts none = stage_memory(blind, s, 0, {});
  const TowerParameters p = tower_parameters(job.model);
  EXPECT_EQ((frozen.weights - none.weights).count(), 2 * p.total());
  EXPECT_EQ((frozen.optimizer - none.optimizer).count(), 12 * p.projector);
  // Projector: 576 tokens of 1024 numbers in, 4096 before and 4096 behind the function.
  EXPECT_EQ((frozen.activations - none.activations).count(), 576 * (1024 + 2 * 4096) * 2);
  job.model.towers.front().frozen = false;
  const MemoryParts trained = stage_memory(job, s, 0, {});
  EXPECT_EQ((trained.optimizer - frozen.optimizer).count(), 12 * p.frozen);
  // 23 layers, per token 4·2h + 2h·4 (two of hidden in QKV's output...) as layer_activations has
  // it: inputs 8h, queries, keys, values and context 8h, MLP 2·2·4h, a number a row and head.
  EXPECT_EQ((trained.activations - frozen.activations).count(),
            23 * 577 * (8 * 1024 + 8 * 1024 + 16 * 1024 + 4 * 16));
}

// Frozen, only the forward pass grows, but for the projector's.
TEST(Towers, ATowersPassIsInTheStepOfItsStage) {
  Job job = read_job("llava15_7b");
  const Processor gpu = read_processor("a100_sxm_80");
  ClosedForm model(
      {.gpus_per_node = 8, .nvlink = 240_GBps, .nics = 200_GBps, .nic_count = 8, .overheads = {}});
  const TypeContext c{.job = job, .gpu = gpu, .communication = model, .gpus_per_node = 8};
  const Strategy s{.pp = 2, .dp = 4};
  const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
  const BlockCosts blocks = block_costs(c, s, shapes);
  EXPECT_EQ(blocks.tower.backward.total(), Time());
  EXPECT_GT(blocks.tower.forward.total(), Time());
  const RankPass first = rank_pass(c, s, blocks, 0);
  Time expected = blocks.dense.forward.total() * 16 + blocks.embedding.forward.total() +
                  blocks.tower.forward.total() + blocks.projector.forward.total();
  EXPECT_EQ(first.forward.total(), expected);
  // The tower's work at the GPU's peak is a lower bound of its time.
  const double work = 23 * 577.0 * (24 * 1024.0 * 1024 + 4 * 577.0 * 1024);
  EXPECT_GT(blocks.tower.forward.total().seconds(), work / 312e12);
  EXPECT_LT(blocks.tower.forward.total().seconds(), 5 * work / 312e12);
}

// Three pictures a sequence over cp 2 with micro-batches of 4: 6 pictures a rank, of which 23
// layers keep activations; on tp 2 a trained tower is cut in half.
TEST(Towers, InputsAreDealtOverContextRanks) {
  Job job = read_job("llava15_7b");
  TowerSpec& tower = job.model.towers.front();
  tower.frozen = false;
  tower.inputs = 3;
  const Strategy s{.cp = 2, .micro_batch = 4};
  EXPECT_EQ(tower_inputs(tower, s), 6);
  EXPECT_EQ(tower_activations(job, s), 6.0 * 23 * 577 * (8 * 1024 + 8 * 1024 + 16 * 1024 + 4 * 16));
  Job blind = job;
  blind.model.towers.clear();
  const TowerParameters p = tower_parameters(job.model);
  EXPECT_EQ(stage_parameters(job, {.tp = 2}, 0).dense - stage_parameters(blind, {.tp = 2}, 0).dense,
            static_cast<double>(p.trained + p.projector) / 2);
}

TEST(Towers, WrongSplitsSaySo) {
  const Job llava = read_job("llava15_7b"), llama = read_job("llama3_8b");
  EXPECT_EQ(strategy_problems(llama, {.pp = 2, .dp = 4, .tower_stages = 1}, 8, "").front().message,
            "Llama 3 8B has no encoder");
  EXPECT_FALSE(is_valid(llava, {.pp = 2, .dp = 4, .tower_stages = 2}, 8));
  EXPECT_TRUE(is_valid(llava, {.pp = 2, .dp = 4, .tower_stages = 1}, 8));
  EXPECT_FALSE(is_valid(llava, {.tp = 32, .dp = 1}, 32));
}

}  // namespace
}  // namespace railyard::placement
