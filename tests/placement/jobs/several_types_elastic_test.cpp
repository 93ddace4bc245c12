#include <gtest/gtest.h>

#include "placement/jobs/elastic_options.hpp"
#include "placement/model/parameters.hpp"
#include "tests/placement/two_types.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement {
namespace {

using namespace literals;
using namespace topology::testing;

std::vector<std::uint32_t> numbers(const Mapping& mapping) {
  std::vector<std::uint32_t> gpus;
  for (const Rank gpu : mapping.gpus) gpus.push_back(gpu.value());
  return gpus;
}

// Two replicas with a stage on A (GPUs 0 to 3) and one on B (from 1000). GPU 0 is lost: its rank
// goes to the next of A that no other rank keeps.
TEST(SeveralTypesElastic, RanksThatAreLeftStay) {
  TwoTypes two(five_layers(12), "h100_sxm", "a100_sxm_80", 4, 1);
  const Strategy mixed = over({.pp = 2, .dp = 2}, {{.types = {0, 1}, .replicas = 2}});
  const Placed before{mixed, ordered_mapping(mixed, free_gpus(two.types))};
  two.types[0].free.erase(two.types[0].free.begin());
  EXPECT_EQ(numbers(patched_mapping(before, mixed, free_gpus(two.types))),
            (std::vector<std::uint32_t>{2, 1, 1000, 1001}));
}

// Three replicas on A and two on B become two and three: replicas are those of the same types,
// wherever they stand in the list.
TEST(SeveralTypesElastic, ReplicasAreKnownByTheirTypes) {
  TwoTypes two(five_layers(12), "h100_sxm", "a100_sxm_80", 4, 1);
  const auto of = [](int first, int second) {
    return over({.dp = 5}, {{.types = {0}, .replicas = first}, {.types = {1}, .replicas = second}});
  };
  const Placed before{of(3, 2), ordered_mapping(of(3, 2), free_gpus(two.types))};
  EXPECT_EQ(numbers(patched_mapping(before, of(2, 3), free_gpus(two.types))),
            (std::vector<std::uint32_t>{0, 1, 1000, 1001, 1002}));
}

// Four GPUs of each type; B keeps one. 12 micro-batches for 4 and 1 replicas. Without any of B its
// class goes.
TEST(SeveralTypesElastic, TheSameSplitHasAsManyReplicasAsFit) {
  TwoTypes two(five_layers(12), "a100_sxm_80", "a100_sxm_80", 4, 1);
  const Strategy before =
      over({.dp = 8, .zero = 1}, {{.types = {0}, .replicas = 4, .micro_batches = 2},
                                  {.types = {1}, .replicas = 4, .micro_batches = 1}});
  two.types[1].free.resize(1);
  auto same = same_split(two.context(), before);
  ASSERT_TRUE(same);
  ASSERT_EQ(same->strategy.classes.size(), 2U);
  EXPECT_EQ(same->strategy.classes[0].replicas, 4);
  EXPECT_EQ(same->strategy.classes[1].replicas, 1);
  EXPECT_EQ(all_micro_batches(two.job.batch, same->strategy), 12);
  EXPECT_EQ(same->strategy.zero, 1);
  two.types[1].free.clear();
  same = same_split(two.context(), before);
  ASSERT_TRUE(same);
  ASSERT_EQ(same->strategy.classes.size(), 1U);
  EXPECT_EQ(same->strategy.dp, 4);
  two.types[0].free.clear();
  EXPECT_FALSE(same_split(two.context(), before));
}

// 30 and 10 layers become 20 and 20: the second GPU gets a quarter of all, 2 + 12 bytes each; the
// first has what it needs.
TEST(SeveralTypesElastic, LayersThatChangeStageMove) {
  Job job{.name = "gpt", .model = read_model("megatron_18b"), .batch = 8, .sequence = 2048};
  const topology::Cluster cluster = small_cluster(leaf_spine(2), 2, 1);
  const Mapping gpus{{Rank(0), Rank(1)}};
  const Moves moves = moves_between(job, cluster, {{.pp = 2, .layers = {30, 10}}, gpus},
                                    {{.pp = 2, .layers = {20, 20}}, gpus}, gpus.gpus);
  const double all = static_cast<double>(count_parameters(job.model).total);
  EXPECT_NEAR(moves.moved, 0.25 * 14 * all, 1e3);
  EXPECT_NEAR(moves.by_node.at(NodeId(0)), 0, 1e3);
  EXPECT_NEAR(moves.by_node.at(NodeId(1)), 0.25 * 14 * all, 1e3);
}

// 100 GB to a node with NICs of 50 GB/s take 2 s, 150 GB to one of 100 GB/s 1.5 s.
TEST(SeveralTypesElastic, EveryNodeReceivesOverItsOwnNics) {
  topology::ClusterSpec spec;
  spec.name = "two shapes";
  spec.fabric = leaf_spine(2);
  for (const char* name : {"first", "second"}) {
    topology::NodeSpec node = small_node(1);
    node.name = name;
    spec.node_specs.push_back(std::move(node));
    spec.node_counts.push_back(1);
  }
  spec.node = "first";
  spec.nodes = 2;
  const topology::Cluster cluster = topology::build_cluster(std::move(spec));
  std::vector<GpuType> types(2);
  types[0].fabric.nics = 50_GBps;
  types[1].fabric.nics = 100_GBps;
  types[1].shape = 1;
  const Moves moves{
      .moved = 250e9, .most = 150e9, .by_node = {{NodeId(0), 100e9}, {NodeId(1), 150e9}}};
  EXPECT_EQ(move_time(moves, cluster, types), 2000_ms);
}

}  // namespace
}  // namespace railyard::placement
