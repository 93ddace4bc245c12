#include "placement/capacity/fabric/fabric_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/diagnostic.hpp"
#include "placement/capacity/fabric/fabric_answer.hpp"
#include "placement/capacity/read_price_list.hpp"
#include "tests/placement/engine_of_rings.hpp"

namespace railyard::placement {
namespace {

using namespace literals;
using testing::Contains;
using topology::FabricKind;

/// Every task takes a millisecond.
class OneMillisecond final : public collectives::Executor {
 public:
  [[nodiscard]] std::string_view name() const override { return "test"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override {
    collectives::Run run;
    for (const collectives::Task& task : tasks)
      run.tasks.push_back({.start = task.start, .finish = task.start + 1_ms, .bound_by = {}});
    return run;
  }
};

EngineFactory engines() {
  return [](const PlaceProblem& problem) {
    struct Owner {
      OneMillisecond executor;
      Engine engine;
      explicit Owner(const topology::Cluster& cluster)
          : engine(engine_of_rings(cluster, executor)) {}
    };
    const auto owner = std::make_shared<Owner>(problem.cluster);
    return std::shared_ptr<const Engine>(owner, &owner->engine);
  };
}

FabricPlanRequest request_of(int gpus, std::vector<FabricKind> kinds) {
  FabricPlanRequest request;
  request.node = topology::read_node("dgx_h100");
  request.gpus = gpus;
  request.kinds = std::move(kinds);
  request.model = topology::switch_of_radix(64, 400_Gbps, topology::SwitchProtocol::infiniband);
  request.switch_item = "switch/generic";
  request.prices = read_price_list("network");
  request.gpu_price = 30'000;
  request.all_reduce_bytes = 1_MiB;
  request.engines = engines();
  return request;
}

const FabricOption& option_of(const FabricPlan& plan, FabricKind kind) {
  for (const FabricOption& option : plan.options)
    if (option.kind == kind) return option;
  ADD_FAILURE() << "not in the plan";
  return plan.options.front();
}

// 64-port switches: rail_only ends at 64 nodes of 8, leaf_spine at 2,048 NICs.
TEST(FabricPlan, WhatCannotBeBuiltIsThereWithItsLargest) {
  const FabricPlan plan = plan_fabric(
      request_of(4096, {FabricKind::leaf_spine, FabricKind::clos3, FabricKind::rail_only}));
  EXPECT_EQ(plan.nodes, 512);
  EXPECT_FALSE(option_of(plan, FabricKind::leaf_spine).design);
  EXPECT_EQ(option_of(plan, FabricKind::leaf_spine).most_nodes, 256);
  EXPECT_EQ(option_of(plan, FabricKind::rail_only).most_nodes, 64);
  ASSERT_TRUE(plan.best);
  EXPECT_EQ(plan.options[*plan.best].kind, FabricKind::clos3);
  const std::vector<std::string> answer = answer_of(plan, request_of(4096, {}));
  ASSERT_FALSE(answer.empty());
  EXPECT_THAT(answer.front(),
              testing::StartsWith("Buy clos3 1:1: 320 switches (128 leaf, 128 spine, 64 core)"));
  EXPECT_THAT(answer, Contains("leaf_spine 1:1 cannot be built: at most 2,048 GPUs."));
  EXPECT_THAT(answer, Contains("rail_only 1:1 cannot be built: at most 512 GPUs."));
}

TEST(FabricPlan, NothingToBuyIsSaid) {
  const FabricPlan plan = plan_fabric(request_of(4096, {FabricKind::rail_only}));
  EXPECT_FALSE(plan.best);
  EXPECT_THAT(answer_of(plan, request_of(4096, {})),
              Contains("None of these fabrics can connect 4,096 GPUs with 64 ports of 400 Gb/s."));
}

// Without a job the cheapest is bought: 2:1 has half the spines. Ratios do not apply to rail_only.
TEST(FabricPlan, OversubscriptionsAreComparedWhereAFabricHasThem) {
  FabricPlanRequest request = request_of(512, {FabricKind::rail_clos, FabricKind::rail_only});
  request.oversubscriptions = {1, 2};
  const FabricPlan plan = plan_fabric(request);
  ASSERT_EQ(plan.options.size(), 3U);
  EXPECT_EQ(name_of(plan.options[1]), "rail_clos 2:1");
  EXPECT_LT(plan.options[1].total.price, plan.options[0].total.price);
  EXPECT_LT(plan.options[1].bisection, plan.options[0].bisection);
  EXPECT_EQ(plan.options[0].same_rail_switches, 3);
  EXPECT_EQ(plan.options[2].same_rail_switches, 1);
  EXPECT_EQ(plan.options[2].cross_rail_switches, std::nullopt);
}

// The 2,048 links below the leaves are copper in leaf_spine and optics in rail_clos; all else is
// the same. At 200 a copper cable is cheaper than two transceivers of 640 and a fibre cable of 100,
// at 5,000 it is dearer than two of 800 and one of 150.
TEST(FabricPlan, AnotherChoiceAtAnEndOfThePriceRangesIsSaid) {
  FabricPlanRequest request = request_of(2048, {FabricKind::leaf_spine, FabricKind::rail_clos});
  const auto answer = [&] { return answer_of(plan_fabric(request), request); };
  EXPECT_THAT(
      answer(),
      Contains(testing::HasSubstr("The choice is the same at both ends of the price ranges.")));
  request.prices.items.at("copper/400G").high = 5000;
  const FabricPlan plan = plan_fabric(request);
  EXPECT_EQ(plan.best, 0U);
  EXPECT_EQ(plan.best_if_cheap, 0U);
  EXPECT_EQ(plan.best_if_dear, 1U);
  EXPECT_THAT(answer(), Contains(testing::HasSubstr("With all prices of the network at the high "
                                                    "end of their ranges rail_clos 1:1 is best.")));
}

// 2,048 NICs on 64-port switches need 64 leaves and 32 spines, and no core. A NIC of two planes
// keeps a port if a leaf fails.
TEST(FabricPlan, TheOthersAreComparedWithTheBest) {
  const FabricPlanRequest request =
      request_of(2048, {FabricKind::leaf_spine, FabricKind::clos3, FabricKind::dual_plane});
  const std::vector<std::string> answer = answer_of(plan_fabric(request), request);
  EXPECT_THAT(answer, Contains("clos3 1:1 is the same fabric at this size."));
  EXPECT_THAT(answer, Contains(testing::AllOf(
                          testing::StartsWith("dual_plane 1:1 costs"),
                          testing::EndsWith("; a failed leaf does not stop its jobs."))));
}

// 64 nodes: the first leaf of a rail fabric has a rail of 32 nodes, that of rail_only of all 64; in
// two planes every NIC keeps a port.
TEST(FabricPlan, AFailedLeafCutsOffTheNodesThatHaveNoOtherPort) {
  const FabricPlan plan = plan_fabric(
      request_of(512, {FabricKind::rail_clos, FabricKind::rail_only, FabricKind::dual_plane}));
  const FabricOption& rails = option_of(plan, FabricKind::rail_clos);
  EXPECT_EQ(rails.times.leaf.nodes_cut_off, *rails.design->fabric.nodes_per_unit);
  EXPECT_EQ(option_of(plan, FabricKind::rail_only).times.leaf.nodes_cut_off, 64);
  EXPECT_EQ(option_of(plan, FabricKind::rail_only).times.spine.device, "");
  EXPECT_EQ(option_of(plan, FabricKind::rail_only).times.cable.nodes_cut_off, 1);
  const FabricOption& planes = option_of(plan, FabricKind::dual_plane);
  EXPECT_EQ(planes.times.leaf.nodes_cut_off, 0);
  EXPECT_EQ(planes.times.leaf.device, "plane0/pod0/leaf0");
  EXPECT_EQ(planes.times.all_reduce, 1_ms);
}

TEST(FabricPlan, GpusMustFillNodes) {
  try {
    static_cast<void>(plan_fabric(request_of(100, {FabricKind::clos3})));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().pointer, "--gpus");
    EXPECT_EQ(error.diagnostics().front().hint, "96 or 104");
  }
}

}  // namespace
}  // namespace railyard::placement
