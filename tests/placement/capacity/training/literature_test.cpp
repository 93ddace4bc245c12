// Numbers of the literature, each from a source of its own.
#include <gtest/gtest.h>

#include <cmath>

#include "placement/capacity/budget/cluster_parts.hpp"
#include "placement/capacity/budget/power_parts.hpp"
#include "placement/capacity/goodput/checkpoint.hpp"
#include "placement/capacity/training/compute_optimal.hpp"
#include "placement/cost/closed_form.hpp"
#include "placement/model/flops.hpp"
#include "placement/model/parameters.hpp"
#include "placement/strategy/strategy_fields.hpp"

namespace railyard::placement {
namespace {

double parameters(const std::string& model) {
  return static_cast<double>(count_parameters(read_model(model)).total);
}

// arXiv 2005.14165, table D.1: 6 operations per parameter and token.
TEST(Literature, Gpt3TakesThreeHundredAndFourteenZettaFlop) {
  const double flops = 6 * parameters("gpt3_175b") * 300e9;
  EXPECT_NEAR(flops / 1e21, 314, 1.5);
  EXPECT_NEAR(flops / 8.64e19, 3640, 20);  // PFLOP-days
  // Ours adds attention and head: 1 to 5 %.
  const double ours = training_flops(read_job("gpt3_175b"));
  EXPECT_GT(ours, flops);
  EXPECT_LT(ours, 1.05 * flops);
}

// arXiv 2104.04473, section 5.1: GPT-3 on 1,024 A100 in about 34 days, by 8 T P / (n X) with 140
// TFLOP/s a GPU. With its strategy our step gives about a month too.
TEST(Literature, Gpt3TakesAMonthOnAThousandA100) {
  Job job = read_job("gpt3_175b");
  const Processor gpu = read_processor("a100_sxm_80");
  const topology::Cluster cluster =
      topology::build_cluster(topology::read_cluster("dgx_a100_hdr200", 128));
  const ClosedForm form(node_fabric(cluster));
  const TypeContext context{.job = job, .gpu = gpu, .communication = form, .gpus_per_node = 8};
  Strategy strategy{.tp = 8, .pp = 8, .dp = 16};
  strategy.recompute = Recompute::full;
  const ScoredStrategy scored = score(context, strategy);
  const double days = job.tokens / scored.tokens_per_s(job) / 86400;
  EXPECT_GT(days, 28);
  EXPECT_LT(days, 36);
}

// Weights 2 + gradients 2 + optimizer 12 bytes a parameter (arXiv 1910.02054, section 3.1).
TEST(Literature, Gpt3sStateIsTwoPointEightTerabytes) {
  const Job job = read_job("gpt3_175b");
  const double gradients = 2 * parameters("gpt3_175b");
  EXPECT_NEAR((checkpoint_bytes(job) + gradients) / 1e12, 2.8, 0.02);
}

TEST(Literature, Gpt3sWeightsNeedFiveGpusOfEightyGigabytes) {
  const double bytes = 2 * parameters("gpt3_175b");
  EXPECT_NEAR(bytes / 1e9, 350, 1.5);
  EXPECT_EQ(std::ceil(bytes / 80e9), 5);
}

TEST(Literature, TenThousandGpusAtFourHundredWattsAreFourMegawatts) {
  ScoredStrategy scored{.strategy = {.dp = 10'000}};
  scored.step.total = scored.step.compute = Time::seconds(1);
  Assumptions assumed;
  assumed.set(std::vector<std::string>{"host_power=0", "switch_power=0", "optics_power=0", "pue=1"},
              "--assume");
  Processor gpu = read_processor("a100_sxm_80");
  ASSERT_EQ(gpu.power.watts(), 400);
  const ClusterParts parts{.nodes = 1250, .gpus = 10'000};
  const Rates rates = power_rates(gpu, parts, assumed, RangeEnd::value);
  const PowerParts power = power_parts(scored, rates, 0, parts, assumed);
  EXPECT_NEAR(power.mean, 4, 1e-9);
  EXPECT_NEAR(power.peak, 4, 1e-9);
}

// Estimates of a video model: 4,211 to 10,528 H100 for a month (Factorial Funds, 2024). At half of
// the H100's 989 TFLOP/s these are 5.4e24 to 13.5e24 operations, 17 to 43 times GPT-3.
TEST(Literature, AVideoModelTakesThousandsOfH100ForAMonth) {
  const double month = 30 * 86400,
               rate = 0.5 * static_cast<double>(
                                peak(read_processor("h100_sxm"), Precision::bf16).per_second());
  const double gpt3 = 314e21;
  EXPECT_NEAR(17.2 * gpt3 / (rate * month), 4211, 30);
  EXPECT_NEAR(43.0 * gpt3 / (rate * month), 10528, 60);
}

// Fat tree of 40-port switches: 40^3 / 4 = 16,000 hosts, 2 · 40^2 / 4 = 800 leaves and 800 spines,
// 400 cores. 3,200 GPUs: 64-port switches, 32 down and 32 up, 3,200 / 32 = 100 leaves.
TEST(Literature, FabricsOfBaiduHaveTheirSwitches) {
  const auto switches = [](const std::string& name) {
    const ClusterParts parts = cluster_parts(topology::build_cluster(topology::read_cluster(name)));
    std::vector<int> counts{parts.gpus};
    for (const TierParts& tier : parts.tiers) counts.push_back(tier.switches);
    return counts;
  };
  EXPECT_EQ(switches("clos_baidu_ib"), (std::vector{16000, 800, 800, 400}));
  EXPECT_EQ(switches("clos_baidu_roce"), (std::vector{3200, 100, 128, 64}));
}

// arXiv 2203.15556, table 3.
TEST(Literature, ComputeOptimalTokens) {
  const auto off = [](double parameters, double tokens) {
    return std::abs(compute_optimal_tokens(parameters) / tokens - 1);
  };
  EXPECT_LT(off(0.4e9, 8.0e9), 0.01);
  EXPECT_LT(off(10e9, 205.1e9), 0.01);
  EXPECT_LT(off(175e9, 3.7e12), 0.02);
  EXPECT_LT(off(280e9, 5.9e12), 0.02);
  EXPECT_LT(off(520e9, 11.0e12), 0.02);
  EXPECT_LT(off(67e9, 1.5e12), 0.08);  // printed with two digits
}

}  // namespace
}  // namespace railyard::placement
