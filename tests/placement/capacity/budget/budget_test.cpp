#include <gtest/gtest.h>

#include <cmath>

#include "core/diagnostic.hpp"
#include "placement/capacity/budget/assumptions.hpp"
#include "placement/capacity/budget/network_power.hpp"
#include "placement/capacity/budget/ownership.hpp"
#include "placement/capacity/budget/power_parts.hpp"
#include "placement/capacity/read_price_list.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::placement {
namespace {

TEST(Ownership, AnnuityOfFourYears) {
  // 30,000 · 0.06 / (1 - 1.06^-4) = 8,657.7 a year; a year has 8,766 h.
  EXPECT_NEAR(hourly_cost({.price = 30'000, .years = 4, .interest = 0.06}), 8657.7 / 8766, 1e-4);
  // Half of the time used, no interest: 7,500 / 4,383.
  EXPECT_NEAR(hourly_cost({.price = 30'000, .years = 4, .interest = 0, .use = 0.5}), 7500.0 / 4383,
              1e-9);
}

TEST(Ownership, BreakEvenPaysThePriceBack) {
  // 2.0 an hour saved, 17,532 a year: 30,000 / 17,532 = 1.711 years without interest.
  EXPECT_NEAR(break_even_years({.price = 30'000, .interest = 0}, 2.5, 0.5), 1.7111, 1e-3);
  // With 6 %: payments of 17,532 a year over n years are worth 30,000 now.
  const double n = break_even_years({.price = 30'000, .interest = 0.06}, 2.5, 0.5);
  EXPECT_NEAR(17'532 * (1 - std::pow(1.06, -n)) / 0.06, 30'000, 1);
  EXPECT_TRUE(std::isinf(break_even_years({.price = 30'000, .interest = 0.06}, 0.5, 0.6)));
}

TEST(Assumptions, AreSetWithUnitsAndBounds) {
  Assumptions assumed;
  assumed.set(std::vector<std::string>{"detection=5min", "pue=1.2"}, "--assume");
  EXPECT_EQ(assumed.at("detection"), 300);
  // One that is set has no range.
  EXPECT_EQ(assumed.at("pue", RangeEnd::worse), 1.2);
  // A higher write rate is better, a lower power is.
  EXPECT_GT(assumed.at("storage_write", RangeEnd::better), assumed.at("storage_write"));
  EXPECT_LT(assumed.at("host_power", RangeEnd::better), assumed.at("host_power"));
  for (const char* wrong : {"pue=0.5", "pue=", "pue", "peu=1", "detection=5", "detection=-1s"})
    EXPECT_THROW(assumed.set(std::vector<std::string>{wrong}, "--assume"), InputError) << wrong;
}

TEST(Assumptions, EachHasASourceAndARangeAroundItsValue) {
  for (const Assumption& one : Assumptions().all()) {
    EXPECT_FALSE(one.source.empty()) << one.key;
    EXPECT_LE(one.low, one.value) << one.key;
    EXPECT_GE(one.high, one.value) << one.key;
    EXPECT_GE(one.low, one.least) << one.key;
    EXPECT_LE(one.high, one.most) << one.key;
  }
}

TEST(PowerParts, PhasesPartsAndCoolingAddUp) {
  // 16 GPUs, one node of 8 spare. 60 % compute, 20 % exposed, 20 % idle of a step.
  ScoredStrategy scored{.strategy = {.dp = 16}};
  scored.step.total = Time::seconds(10);
  scored.step.compute = Time::seconds(5);
  scored.step.optimizer = Time::seconds(1);
  scored.step.dp = Time::seconds(2);
  scored.step.bubble = Time::seconds(2);
  Assumptions assumed;
  assumed.set(
      std::vector<std::string>{"compute_power=1", "communication_power=0.5", "idle_power=0.25",
                               "host_power=100", "switch_power=600", "optics_power=10", "pue=1.5"},
      "--assume");
  Processor gpu = read_processor("a100_sxm_80");  // 400 W
  const ClusterParts parts{
      .nodes = 3, .gpus = 24, .nics = 24, .tiers = {{.name = "leaf", .switches = 2, .cables = 24}}};
  const Rates rates = power_rates(gpu, parts, assumed, RangeEnd::value);
  // 100 + (2 · 600 + 2 · 24 · 10) / 24 = 170 W beside each GPU.
  EXPECT_NEAR(rates.host_watts, 170, 1e-9);
  const PowerParts power = power_parts(scored, rates, 8, parts, assumed);
  // 16 · (0.6 · 400 + 0.2 · 200 + 0.2 · 100) = 4,800 W; spares 8 · 100; 24 · 170; times 1.5.
  EXPECT_NEAR(power.mean * 1e6, (4800 + 800 + 24 * 170) * 1.5, 1e-6);
  EXPECT_NEAR(power.peak * 1e6, (16 * 400 + 800 + 24 * 170) * 1.5, 1e-6);
  EXPECT_NEAR(power.waiting * 1e6, (16 * 100 + 800 + 24 * 170) * 1.5, 1e-6);
  EXPECT_NEAR(power.ramp * 1e6, 16 * 200 * 1.5, 1e-6);
  double sum = 0;
  for (const PowerPart& part : power.parts) sum += part.megawatts;
  EXPECT_NEAR(sum, power.mean, 1e-12);
  // The same as training_totals() says of the GPUs that train.
  Job job{.batch = 16, .sequence = 1024};
  const TrainingTotals o = training_totals(job, scored, 1e9, rates);
  EXPECT_NEAR(*o.power_MW * 1e6, (4800 + 16 * 170) * 1.5, 1e-6);
}

// DGX H100 with Quantum-2, 4 nodes: 8 leaves and 16 spines of 747 W; 8.5 W per end of a cable of
// 400 Gb/s, of which 32 lead to nodes and the others, of the same rate, to spines.
TEST(NetworkPower, IsThatOfThePriceList) {
  const topology::Cluster cluster =
      topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 4));
  ClusterParts parts = cluster_parts(cluster);
  ASSERT_EQ(parts.tiers.size(), 2u);
  PriceList prices = read_price_list("network");
  prices.items.at("switch/quantum2").power = core::Power::milliwatts(700'000);
  prices.items.at("optic/400G_sr").power = core::Power::milliwatts(5000);
  add_network_power(parts, cluster, prices);
  for (const TierParts& tier : parts.tiers) {
    ASSERT_TRUE(tier.switch_power && tier.end_power);
    EXPECT_EQ(tier.switch_power->item, "switch/quantum2");
    EXPECT_EQ(tier.switch_power->watts, 700);
    EXPECT_EQ(tier.end_power->watts, 5);
  }
  Assumptions assumed;
  const Processor gpu = read_processor("h100_sxm");
  const auto fabric = [&](RangeEnd end) {
    const Rates rates = power_rates(gpu, parts, assumed, end);
    return (rates.host_watts - assumed.at("host_power", end)) * parts.gpus;
  };
  const double switches = parts.switches(), cables = parts.cables();
  EXPECT_NEAR(fabric(RangeEnd::value), switches * 700 + 2 * cables * 5, 1e-6);
  // The list has a range for the switch, 500 to 1,720 W. That of the transceiver is relative, as
  // assumed: 0 to 17 W for 8.5 W.
  EXPECT_NEAR(fabric(RangeEnd::worse), switches * 1720 + 2 * cables * 10, 1e-6);
  EXPECT_NEAR(fabric(RangeEnd::better), switches * 500, 1e-6);
  // --assume wins.
  assumed.set(std::vector<std::string>{"switch_power=1000"}, "--assume");
  EXPECT_NEAR(fabric(RangeEnd::value), switches * 1000 + 2 * cables * 5, 1e-6);
  // A list without the parts leaves the assumptions.
  ClusterParts bare = cluster_parts(cluster);
  add_network_power(bare, cluster, PriceList());
  EXPECT_FALSE(bare.tiers[0].switch_power || bare.tiers[0].end_power);
}

// A switch without a public figure: 600 W, estimated between 400 and 1,380 W (Tomahawk 3). The
// assumptions alone would make it 600 · 500 / 750 = 400 and 600 · 1,720 / 750 = 1,376 W.
TEST(NetworkPower, AnEstimateWidensTheRange) {
  const topology::Cluster cluster =
      topology::build_cluster(topology::read_cluster("clos_baidu_roce", 16));
  ClusterParts parts = cluster_parts(cluster);
  add_network_power(parts, cluster, read_price_list("network"));
  const Assumptions assumed;
  const auto watts = [&](RangeEnd end) {
    return network_watts(parts.tiers.front().switch_power, "switch_power", assumed, end);
  };
  EXPECT_EQ(watts(RangeEnd::value), 600);
  EXPECT_EQ(watts(RangeEnd::better), 400);
  EXPECT_EQ(watts(RangeEnd::worse), 1380);
}

}  // namespace
}  // namespace railyard::placement
