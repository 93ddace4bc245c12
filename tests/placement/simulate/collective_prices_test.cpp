#include "placement/simulate/collective_prices.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/diagnostic.hpp"
#include "placement/cost/closed_form.hpp"
#include "placement/cost/scored_strategy.hpp"
#include "tests/placement/engine_of_rings.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;
using namespace topology::testing;

/// Every task takes 3 us, but all-reduces cannot be run.
class NoAllReduce final : public collectives::Executor {
 public:
  std::string_view name() const override { return "no all_reduce"; }
  collectives::Run run(std::span<const collectives::Task> tasks) override {
    collectives::Run run;
    for (const auto& task : tasks) {
      if (task.schedule->collective().kind == Kind::all_reduce)
        throw InputError("", "all_reduce", "cannot be run");
      run.tasks.push_back({.start = Time(), .finish = 3_us, .bound_by = {}});
    }
    return run;
  }
};

struct Prices {
  topology::Cluster cluster = small_cluster(leaf_spine(2), 4, 4);
  NoAllReduce executor;
  Engine engine = engine_of_rings(cluster, executor);
  ClosedForm form{{.gpus_per_node = 4, .nvlink = 100_GBps, .nics = 100_GBps, .nic_count = 4}};
  Job job = read_job("llama3_8b");
  Processor gpu = read_processor("h100_sxm");
  Strategy strategy{.tp = 2, .pp = 2, .dp = 4};
  Mapping mapping;
  Prices() {
    job.batch = 16;
    gpu.spec.nvlink_in_step = 0.8;
    gpu.spec.network_in_step = 0.5;
    for (std::size_t r = 0; r < 16; ++r) mapping.gpus.emplace_back(r);
  }
  [[nodiscard]] TypeContext type() const {
    return {.job = job, .gpu = gpu, .communication = form, .gpus_per_node = 4};
  }
  [[nodiscard]] std::vector<CollectivePrice> prices() const {
    return collective_prices(CostContext(type()), strategy, mapping, engine);
  }
};

// 16 GPUs on nodes of 4: pairs of tp inside nodes have 0.8 of their rate in a step; hops of pp and
// the two members on each node of a dp group go between nodes and have 0.5 of it.
TEST(CollectivePrices, TellsTheStepsTimeFromTheTimeAlone) {
  const Prices p;
  std::set<GroupRole> roles;
  for (const CollectivePrice& price : p.prices()) {
    const GroupRole role = price.collective.role;
    roles.insert(role);
    const double share =
        role == GroupRole::tensor ? 0.8 : 0.5 * p.type().crossing(price.collective.shape);
    EXPECT_DOUBLE_EQ(price.share_in_step, share) << name_of(role);
    EXPECT_EQ(price.nominal, p.form.time(price.collective)) << name_of(role);
    EXPECT_NEAR(price.in_step.seconds(), price.nominal.seconds() / share, 1e-11) << name_of(role);
    const bool runs = price.collective.kind != Kind::all_reduce;
    EXPECT_EQ(price.alone, runs ? std::optional(3_us) : std::nullopt) << name_of(role);
  }
  EXPECT_TRUE(roles.contains(GroupRole::tensor));
  EXPECT_TRUE(roles.contains(GroupRole::pipeline));
  EXPECT_TRUE(roles.contains(GroupRole::data) || roles.contains(GroupRole::shard));
}

// Its prices are those of the step: halving the network's rate lengthens the step's collectives.
TEST(CollectivePrices, AreThoseOfTheStep) {
  Prices p;
  const auto before = p.prices();
  const Time step = score(CostContext(p.type()), p.strategy).step.total;
  p.gpu.spec.network_in_step = 0.25;
  const auto after = p.prices();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].collective.role == GroupRole::pipeline) {
      EXPECT_NEAR(after[i].in_step.seconds(), 2 * before[i].in_step.seconds(), 1e-11);
    }
  EXPECT_GT(score(CostContext(p.type()), p.strategy).step.total, step);
}

}  // namespace
}  // namespace railyard::placement
