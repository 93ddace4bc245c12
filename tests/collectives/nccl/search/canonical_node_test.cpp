#include "collectives/nccl/search/canonical_node.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "collectives/nccl/graph/system.hpp"
#include "collectives/nccl/search/search_cache.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::collectives::nccl {
namespace {

/// 18 hosts of four GPUs, which share one NVLink domain.
class NodeForms : public ::testing::Test {
 protected:
  [[nodiscard]] System of(const std::vector<int>& gpus) const {
    return make_system(cluster_.shapes().front()->spec(), gpus);
  }
  [[nodiscard]] bool are_alike(const std::vector<int>& a, const std::vector<int>& b) const {
    const CanonicalNode one = canonical_node(of(a)), other = canonical_node(of(b));
    return one.system == other.system && hash_of(one.system) == hash_of(other.system);
  }

  topology::Cluster cluster_ = topology::build_cluster(topology::read_cluster("gb200_nvl72", 1));
};

void expect_equal(const Graph& found, const Graph& expected) {
  EXPECT_EQ(found.pattern, expected.pattern);
  EXPECT_EQ(found.channels, expected.channels);
  EXPECT_EQ(found.bandwidth_intra, expected.bandwidth_intra);
  EXPECT_EQ(found.bandwidth_inter, expected.bandwidth_inter);
  EXPECT_EQ(found.latency_inter, expected.latency_inter);
  EXPECT_EQ(found.type_intra, expected.type_intra);
  EXPECT_EQ(found.type_inter, expected.type_inter);
  EXPECT_EQ(found.cross_nic, expected.cross_nic);
  EXPECT_EQ(found.same_channels, expected.same_channels);
  ASSERT_EQ(found.orders.size(), expected.orders.size());
  for (std::size_t i = 0; i < found.orders.size(); ++i) {
    EXPECT_EQ(found.orders[i].gpus, expected.orders[i].gpus);
    EXPECT_EQ(found.orders[i].net_in, expected.orders[i].net_in);
    EXPECT_EQ(found.orders[i].net_out, expected.orders[i].net_out);
  }
}

TEST_F(NodeForms, HostsAreInterchangeable) {
  EXPECT_TRUE(are_alike({0, 1, 2, 3}, {4, 5, 6, 7}));
  EXPECT_TRUE(are_alike({0, 1, 4, 5}, {8, 9, 68, 69}));
}

TEST_F(NodeForms, GpusOfAHostAndTheOrderOfRanksAreNot) {
  EXPECT_FALSE(are_alike({0, 1}, {2, 3}));
  EXPECT_FALSE(are_alike({0, 1}, {0, 4}));
  EXPECT_FALSE(are_alike({0, 1}, {5, 4}));
  EXPECT_FALSE(are_alike({0, 4}, {4, 0}));
}

TEST_F(NodeForms, TheSearchOfAnotherNodeGivesTheGraphsOfItsOwn) {
  struct Pair {
    std::vector<int> searched, asked;
  };
  const std::vector<Pair> pairs{{{0, 1, 2, 3}, {68, 69, 70, 71}},
                                {{4, 5, 8, 9}, {0, 1, 64, 65}},
                                {{0, 1, 2, 3, 4, 5, 6, 7}, {32, 33, 34, 35, 40, 41, 42, 43}},
                                {{8, 12, 16}, {0, 36, 68}}};
  const SearchEnvironment environment;
  for (const Pair& pair : pairs) {
    ASSERT_TRUE(are_alike(pair.searched, pair.asked));
    for (const int nodes : {1, 2}) {
      const System asked = of(pair.asked);
      const SearchedNode own = search_node(asked, nodes, environment);
      const SearchedNode alike = searched_alike(
          asked, search_node(of(pair.searched), nodes, environment),
          canonical_node(of(pair.searched)).nets, canonical_node(asked).nets, environment);
      EXPECT_EQ(alike.system, own.system);
      EXPECT_EQ(alike.inter, own.inter);
      EXPECT_EQ(alike.bounds.best_path, own.bounds.best_path);
      EXPECT_EQ(alike.bounds.of_gpu, own.bounds.of_gpu);
      for (std::size_t id = 0; id < own.graphs.size(); ++id) {
        ASSERT_EQ(alike.graphs[id].has_value(), own.graphs[id].has_value());
        if (own.graphs[id]) expect_equal(*alike.graphs[id], *own.graphs[id]);
      }
    }
  }
}

TEST_F(NodeForms, KnownNodesHaveTheNetNumbersOfTheirOwnHosts) {
  // The NIC of GPU 4 is on the second host: its net number is another than that of GPU 0.
  const auto first = searched_node(of({0, 1, 2, 3}), 2, {});
  const auto second = searched_node(of({4, 5, 6, 7}), 2, {});
  const auto ring = static_cast<std::size_t>(GraphId::ring);
  EXPECT_NE(second->graphs[ring]->orders.front().net_in,
            first->graphs[ring]->orders.front().net_in);
  EXPECT_EQ(second->system, of({4, 5, 6, 7}));
  EXPECT_EQ(searched_node(of({4, 5, 6, 7}), 2, {}), second);
}

}  // namespace
}  // namespace railyard::collectives::nccl
