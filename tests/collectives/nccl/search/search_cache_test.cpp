#include "collectives/nccl/search/search_cache.hpp"

#include <gtest/gtest.h>

#include "collectives/nccl/graph/system.hpp"
#include "tests/collectives/nccl_systems.hpp"

namespace railyard::collectives::nccl {
namespace {

System dgx(float nic_bandwidth = 25) {
  System system = make_system(testing::switched_node({}));
  for (SystemNet& net : system.nets) net.bandwidth = nic_bandwidth;
  return system;
}

TEST(KnownNodes, ClustersOfOtherSizesShareASearch) {
  const auto first = searched_node(dgx(), 2, {});
  EXPECT_EQ(searched_node(dgx(), 64, {}), first);
  // Alone, it has no other nodes to talk to.
  EXPECT_FALSE(searched_node(dgx(), 1, {})->inter);
}

TEST(KnownNodes, AnotherNodeOrSettingIsAnotherSearch) {
  const auto first = searched_node(dgx(), 2, {});
  EXPECT_NE(searched_node(dgx(50), 2, {}), first);
  EXPECT_NE(searched_node(dgx(), 2, {.cross_nic = 0}), first);
  // From its threshold of nodes on CollNet may add graphs.
  const SearchEnvironment collnet{.collnet_enable = true, .collnet_node_threshold = 4};
  EXPECT_NE(searched_node(dgx(), 3, collnet), searched_node(dgx(), 4, collnet));
}

TEST(KnownNodes, TheAnswerIsThatOfASearch) {
  const SearchedNode anew = search_node(dgx(), 2, {});
  const auto known = searched_node(dgx(), 2, {});
  for (std::size_t id = 0; id < anew.graphs.size(); ++id) {
    ASSERT_EQ(known->graphs[id].has_value(), anew.graphs[id].has_value());
    if (!anew.graphs[id]) continue;
    EXPECT_EQ(known->graphs[id]->channels, anew.graphs[id]->channels);
    EXPECT_EQ(known->graphs[id]->bandwidth_inter, anew.graphs[id]->bandwidth_inter);
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
