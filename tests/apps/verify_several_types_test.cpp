#include <gtest/gtest.h>

#include "placement/mapping/ordered_mapping.hpp"
#include "placement/simulate/verify_search.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/placement/engine_of_rings.hpp"
#include "tests/placement/two_types.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement {
namespace {

using namespace literals;
using namespace topology::testing;

/// `nodes` nodes with NICs of each of two rates, two nodes below a leaf, uplinks hashed.
topology::Cluster two_kinds(int nodes, int gpus, Bandwidth first, Bandwidth second) {
  topology::ClusterSpec spec;
  spec.name = "two kinds";
  spec.fabric = leaf_spine(2);
  for (const Bandwidth rate : {first, second}) {
    topology::NodeSpec node = small_node(gpus);
    node.name = spec.node_specs.empty() ? "first" : "second";
    for (auto& bridge : node.cpus.front().pcie)
      bridge.children.back().nets.front().bandwidth = rate;
    spec.node_specs.push_back(std::move(node));
    spec.node_counts.push_back(nodes);
  }
  spec.node = "first";
  spec.nodes = 2 * nodes;
  return topology::build_cluster(std::move(spec));
}

/// Such a cluster as types of GPU with one processor, and an engine that runs rings on it.
struct Site {
  topology::Cluster cluster;
  sim::FlowNetwork flow{cluster};
  Engine engine = engine_of_rings(cluster, flow);
  Job job;
  std::vector<GpuType> types{};
  std::vector<ClosedForm> forms{};
  std::vector<const CommunicationModel*> models{};

  Site(topology::Cluster its_cluster, Job its_job)
      : cluster(std::move(its_cluster)), job(std::move(its_job)) {
    for (std::size_t shape = 0; shape < 2; ++shape) {
      const topology::NodeSpec& node = cluster.spec().node_specs[shape];
      GpuType type{.gpu = read_processor("a100_sxm_80"),
                   .fabric = node_fabric(node, cluster.spec().overheads),
                   .node = node.name};
      for (std::size_t r = 0; r < cluster.rank_count(); ++r)
        if (cluster.node(cluster.node_of(Rank(r))).shape == shape) type.free.emplace_back(r);
      types.push_back(std::move(type));
    }
    for (const GpuType& type : types) forms.emplace_back(type.fabric);
    for (ClosedForm& form : forms) models.push_back(&form);
  }
  [[nodiscard]] CostContext context() const { return cost_context(job, types, models); }
  [[nodiscard]] SimulatedStrategy verified(const Strategy& mixed) const {
    const CostContext c = context();
    const std::vector<ScoredStrategy> one{score(c, mixed)};
    return verify_search({.context = c,
                          .engine = engine,
                          .mappings =
                              [&](const Strategy& s) {
                                return std::vector{ordered_mapping(s, free_gpus(types))};
                              }},
                         one)
        .front();
  }
  /// By the path for one type of GPU, which the first stands for, with the same mapping.
  [[nodiscard]] SimulatedStrategy plain(const Strategy& mixed) {
    const TypeContext c{.job = job,
                        .gpu = types[0].gpu,
                        .communication = forms[0],
                        .gpus_per_node = types[0].gpus_per_node()};
    const std::vector<ScoredStrategy> one{score(c, over(mixed, {}))};
    return verify_search({.context = c,
                          .engine = engine,
                          .mappings =
                              [&](const Strategy&) {
                                return std::vector{ordered_mapping(mixed, free_gpus(types))};
                              }},
                         one)
        .front();
  }
};

void expect_same(const StepCost& a, const StepCost& b) {
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.compute, b.compute);
  EXPECT_EQ(a.tp, b.tp);
  EXPECT_EQ(a.pp, b.pp);
  EXPECT_EQ(a.dp, b.dp);
  EXPECT_EQ(a.ep, b.ep);
  EXPECT_EQ(a.bubble, b.bubble);
}

Job small_job() {
  Job job = five_layers(64);
  job.model.layers = 8;
  return job;
}

// Two kinds of nodes with the same numbers are one: all that the ordinary path finds on the same
// GPUs is found, to the picosecond. Hashed uplinks, sends and gradients contending.
TEST(VerifyTypes, EqualTypesTakeWhatOneDoes) {
  Site site(two_kinds(2, 4, 400_Gbps, 400_Gbps), small_job());
  const Strategy staged{.tp = 2, .pp = 2, .dp = 4, .zero = 1, .dp_overlap = true};
  const Strategy beside = over(staged, {{.types = {0, 0}, .replicas = 2, .micro_batches = 16},
                                        {.types = {1, 1}, .replicas = 2, .micro_batches = 16}});
  const Strategy along = over(staged, {{.types = {0, 1}, .replicas = 4, .micro_batches = 16}});
  const Strategy flat = over({.dp = 16, .zero = 3, .dp_overlap = true},
                             {{.types = {0}, .replicas = 8, .micro_batches = 4},
                              {.types = {1}, .replicas = 8, .micro_batches = 4}});
  for (const Strategy& mixed : {beside, along, flat}) {
    const SimulatedStrategy found = site.verified(mixed);
    ASSERT_TRUE(found.simulated) << found.why_not;
    const SimulatedStrategy plain = site.plain(mixed);
    ASSERT_TRUE(plain.simulated) << plain.why_not;
    expect_same(*found.simulated, *plain.simulated);
    EXPECT_EQ(found.slowdowns.size(), plain.slowdowns.size());
    // The engine's answer is another than the formula's.
    EXPECT_NE(found.simulated->total, found.scored.step.total);
  }
}

// One type alone through the path of several, also in chunks.
TEST(VerifyTypes, OneTypeTakesWhatItDoes) {
  Site site(two_kinds(2, 4, 400_Gbps, 200_Gbps), small_job());
  const Strategy one =
      over({.tp = 2, .pp = 2, .dp = 2, .interleave = 2, .schedule = PipelineSchedule::interleaved},
           {{.types = {0, 0}, .replicas = 2, .micro_batches = 32}});
  const SimulatedStrategy found = site.verified(one);
  ASSERT_TRUE(found.simulated) << found.why_not;
  expect_same(*found.simulated, *site.plain(one).simulated);
}

// A replica on each of two nodes of one GPU, one with 400 Gb/s, one with 200. A ring over two ranks
// sends each the bytes of the gradients once, so the slower NIC times it: 4 bytes a parameter over
// 25 GB/s. Both replicas on 400 Gb/s take half.
TEST(VerifyTypes, ARingOverTypesIsAsSlowAsTheSlowerNic) {
  const auto gradients = [](Bandwidth second) {
    const Site site(two_kinds(1, 1, 400_Gbps, second), small_job());
    const Strategy mixed = over({.dp = 2}, {{.types = {0}, .replicas = 1, .micro_batches = 32},
                                            {.types = {1}, .replicas = 1, .micro_batches = 32}});
    const SimulatedStrategy found = site.verified(mixed);
    EXPECT_TRUE(found.simulated) << found.why_not;
    const double bytes = stage_parameters(site.job, mixed, 0).dense * site.job.gradient_bytes();
    return found.simulated->dp.seconds() * site.types[0].gpu.compute().network_in_step / bytes;
  };
  EXPECT_NEAR(gradients(200_Gbps) * 25e9, 1.0, 0.06);
  EXPECT_NEAR(gradients(400_Gbps) * 50e9, 1.0, 0.06);
}

// Tensor groups of two nodes of one GPU: on the type with half the rate they take twice as long,
// and only there, though all of them run at once. Of the backward ones products hide a part, which
// is as long on both types: what is left is a little more than twice as long.
TEST(VerifyTypes, GroupsInsideATypeTakeThatTypesTime) {
  const Site site(two_kinds(2, 1, 400_Gbps, 200_Gbps), small_job());
  const auto tensor = [&](int type) {
    const SimulatedStrategy found = site.verified(over(
        {.tp = 2, .dp = 2}, {{.types = {0}, .replicas = 1, .micro_batches = type == 0 ? 63 : 1},
                             {.types = {1}, .replicas = 1, .micro_batches = type == 0 ? 1 : 63}}));
    EXPECT_TRUE(found.simulated) << found.why_not;
    return found.simulated->tp.seconds();  // of the class that takes longest
  };
  const double ratio = tensor(1) / tensor(0);
  EXPECT_GT(ratio, 2.0);
  EXPECT_LT(ratio, 2.2);
}

}  // namespace
}  // namespace railyard::placement
