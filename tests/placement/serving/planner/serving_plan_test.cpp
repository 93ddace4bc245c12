#include "placement/serving/planner/serving_plan.hpp"

#include <gtest/gtest.h>

#include "placement/serving/planner/plan_case.hpp"

namespace railyard::placement::serving {
namespace {

NodeFabric h100_node() {
  return {.gpus_per_node = 8,
          .nvlink = Bandwidth::megabits_per_second(8 * 18 * 20'600),
          .nics = Bandwidth::megabits_per_second(8 * 400'000),
          .nic_count = 8};
}

ServingPlanRequest request_for(const Model& model) {
  return {.model = model,
          .demand = {.rate = 8, .input = 2000, .output = 200, .ttft = 2, .tpot = 0.05},
          .candidates = {{.cluster = "h100",
                          .gpu = read_processor("h100_sxm"),
                          .fabric = h100_node(),
                          .gpus = 32,
                          .price_per_hour = 2}},
          .base = {.formats = {.attention = NumberFormat::fp8, .mlp = NumberFormat::fp8}},
          .most_pp = 1};
}

TEST(KvTransfer, EachGpuReceivesItsPartOverItsNic) {
  // Llama 3 70B, bf16, tp 8: 40,960 B per token and GPU, 0.82 us at 50 GB/s, and up to 10 % for
  // packets' headers. Sent by 4 GPUs, each NIC carries twice as much.
  const Deployment eight{.tp = 8}, four{.tp = 4};
  const double one = kv_transfer(h100_node(), eight, eight, 40'960).per_token;
  EXPECT_GE(one, 40'960 / 50e9);
  EXPECT_LT(one, 1.1 * 40'960 / 50e9);
  EXPECT_NEAR(kv_transfer(h100_node(), four, eight, 40'960).per_token, 2 * one, 1e-9 * one);
  EXPECT_NEAR(kv_transfer(h100_node(), eight, four, 81'920).per_token, 2 * one, 1e-9 * one);
}

TEST(ServingPlan, PoolsAreOptionsBesideReplicasThatDoBoth) {
  const Model model = read_model("llama3_70b");
  ServingPlanRequest request = request_for(model);
  request.disaggregate = true;
  const ServingPlan plan = plan_serving(request);
  int pools = 0, both = 0;
  for (const ServingOption& o : plan.options) {
    if (!o.meets) continue;
    EXPECT_LE(o.gpus(), 32);
    EXPECT_LE(o.ttft.p99, 2);
    EXPECT_LE(o.tpot.p99, 0.05);
    ++(o.prefill ? pools : both);
    if (!o.prefill) continue;
    EXPECT_EQ(o.gpus(), o.replicas * o.deployment.gpus() + o.prefill_replicas * o.prefill->gpus());
  }
  EXPECT_GT(pools, 0);
  EXPECT_GT(both, 0);
}

// SGLang computes a prompt after a decode replica has reserved room for the request. With room for
// few requests they wait there, while the prefill pool is idle: more prefill replicas do not help.
TEST(ServingPlan, RequestsThatWaitForADecodeReplicaNeedMoreOfThose) {
  const Model model = read_model("llama3_70b");
  ServingPlanRequest request = request_for(model);
  request.disaggregate = true;
  request.only_tp = {8};
  request.candidates[0].gpus = 96;
  request.demand.ttft = 0.5;
  request.base.engine = Engine::sglang;
  request.base.max_sequences = 6;
  const ServingPlan plan = plan_serving(request);
  const auto found = std::ranges::find_if(
      plan.options, [](const ServingOption& o) { return o.prefill.has_value(); });
  ASSERT_NE(found, plan.options.end());
  EXPECT_TRUE(found->meets);
  EXPECT_EQ(found->prefill_replicas, 2);
  EXPECT_GE(found->replicas, 4);
}

TEST(ServingPlan, CachedPrefixesSaveReplicas) {
  const Model model = read_model("llama3_70b");
  ServingPlanRequest request = request_for(model);
  request.demand.rate = 20;
  const int without = plan_serving(request).options.front().gpus();
  request.demand.cached = 0.8;
  const ServingOption with = plan_serving(request).options.front();
  EXPECT_LT(with.gpus(), without);
  EXPECT_NEAR(with.cached_share, 0.8, 0.01);
}

TEST(ServingPlan, AcceptedDraftsShortenATokenOfAnIdleReplica) {
  const Model model = read_model("llama3_70b");
  ServingPlanRequest request = request_for(model);
  request.demand.rate = 0.5;
  const double plain = plan_serving(request).options.front().tpot.p50;
  request.base.speculation = {.tokens = 3, .acceptance = 0.8};
  EXPECT_LT(plan_serving(request).options.front().tpot.p50, 0.6 * plain);
}

// A TPOT of 1 ms is out of reach of all splits, so no request is within the limits. The first
// option is the one whose times are the smallest multiple of the limits.
TEST(ServingPlan, OptionsBeyondTheLimitsAreOrderedByDistance) {
  const Model model = read_model("llama3_70b");
  ServingPlanRequest request = request_for(model);
  request.demand.tpot = 0.001;
  const ServingPlan plan = plan_serving(request);
  ASSERT_GT(plan.options.size(), 2U);
  for (std::size_t i = 0; i < plan.options.size(); ++i) {
    const ServingOption& o = plan.options[i];
    ASSERT_FALSE(o.meets);
    ASSERT_EQ(o.goodput, 0);
    EXPECT_EQ(o.excess(request.demand), std::max(o.ttft.p99 / 2, o.tpot.p99 / 0.001));
    if (i > 0) {
      EXPECT_LE(plan.options[i - 1].excess(request.demand), o.excess(request.demand)) << i;
    }
  }
}

TEST(ServingPlan, ATracesOwnTimesAreComparedRequestByRequest) {
  // Errors of +10 % and -20 % of TTFT; the third request has no measurement.
  const std::vector<Request> trace{{.measured_ttft = 1}, {.measured_ttft = 2}, {}};
  const std::vector<Served> served{{.first_token = 1.1}, {.first_token = 1.6}, {.first_token = 9}};
  const auto found = compare_with_trace(trace, served);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].quantity, "ttft");
  EXPECT_EQ(found[0].errors.count, 2U);
  EXPECT_NEAR(found[0].measured, 1.5, 1e-12);
  EXPECT_NEAR(found[0].predicted, 1.35, 1e-12);
  EXPECT_NEAR(found[0].errors.mean, 15, 1e-9);
}

TEST(ServingPlan, AModelThatFitsNowhereIsRefusedWithTheSmallestSplit) {
  const Model model = read_model("llama3_405b");
  ServingPlanRequest request = request_for(model);
  request.base.formats = {};
  const ServingPlan plan = plan_serving(request);
  EXPECT_TRUE(plan.options.empty());
  ASSERT_FALSE(plan.refused.empty());
  // 405e9 * 2 B = 810 GB do not fit on 8 x 80 GiB * 0.9.
  EXPECT_NE(plan.refused.front().why.find("the smallest tp that fits is 16"), std::string::npos)
      << plan.refused.front().why;
}

TEST(ServingPlan, ExpertsOverSeveralNodesAreTriedWithDataParallelAttention) {
  const Model model = read_model("deepseek_v3");
  ServingPlanRequest request = request_for(model);
  request.candidates[0].gpus = 72;
  request.only_tp = {1};
  // 32 ranks hold 9 of 256 + 32 experts each, 72 ranks 4.
  request.only_ep = {32, 72};
  const auto found = splits(request, request.candidates[0]);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(split_text(found[0]), "tp 1 dp 32 ep 32 redundant 32");
  EXPECT_EQ(split_text(found[1]), "tp 1 dp 72 ep 72 redundant 32");
  request.redundant_experts = 0;
  ASSERT_EQ(splits(request, request.candidates[0]).size(), 1U);
  request.only_ep = {72};
  EXPECT_EQ(why_no_split(request, 72), "256 experts and 0 redundant ones are not divisible by 72");
  EXPECT_EQ(why_no_split(request, 20), "20 ranks do not fill whole nodes");
}

TEST(ServingPlan, MoreThanEightRanksHaveRedundantExpertsAlsoInsideANode) {
  const Model model = read_model("deepseek_v3");
  ServingPlanRequest request = request_for(model);
  request.candidates[0].gpus = 72;
  request.candidates[0].fabric.gpus_per_node = 72;
  request.only_tp = {1};
  request.only_ep = {32};
  EXPECT_EQ(split_text(splits(request, request.candidates[0])[0]), "tp 1 dp 32 ep 32 redundant 32");
  request.candidates[0].fabric.gpus_per_node = 4;
  request.only_ep = {8};
  EXPECT_EQ(split_text(splits(request, request.candidates[0])[0]), "tp 1 dp 8 ep 8");
}

}  // namespace
}  // namespace railyard::placement::serving
