#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/search/search_variables.hpp"
#include "tests/collectives/nccl_systems.hpp"

namespace railyard::collectives::nccl {
namespace {

bool set(SearchEnvironment& environment, std::string_view name, std::string_view value) {
  const SearchVariable* variable = find_search_variable(name);
  EXPECT_NE(variable, nullptr) << name;
  return variable != nullptr && variable->set(environment, value);
}

TEST(NcclSearchVariables, SetWhatTheyName) {
  SearchEnvironment environment;
  EXPECT_TRUE(set(environment, "NCCL_CROSS_NIC", "1"));
  EXPECT_TRUE(set(environment, "NCCL_P2P_LEVEL", "NVL"));
  EXPECT_TRUE(set(environment, "NCCL_NET_GDR_LEVEL", "3"));
  EXPECT_TRUE(set(environment, "NCCL_MAX_NCHANNELS", "8"));
  EXPECT_TRUE(set(environment, "NCCL_NVLS_ENABLE", "0"));
  EXPECT_TRUE(set(environment, "NCCL_NETDEVS_POLICY", "MAX:2"));
  EXPECT_TRUE(set(environment, "NCCL_NET_GDR_READ", "1"));
  EXPECT_EQ(environment, (SearchEnvironment{.cross_nic = 1,
                                            .p2p_level = PathType::nvl,
                                            .net_gdr_level = PathType::phb,
                                            .net_gdr_read = true,
                                            .nvls_enable = false,
                                            .net_devices = NetDevicesPolicy::at_most,
                                            .net_devices_limit = 2,
                                            .max_channels = 8}));
}

TEST(NcclSearchVariables, RefuseValuesThatNcclDoesNotTake) {
  SearchEnvironment environment;
  EXPECT_FALSE(set(environment, "NCCL_CROSS_NIC", "3"));
  EXPECT_FALSE(set(environment, "NCCL_P2P_LEVEL", "near"));
  EXPECT_FALSE(set(environment, "NCCL_MAX_NCHANNELS", "0"));
  EXPECT_FALSE(set(environment, "NCCL_MAX_NCHANNELS", "8x"));
  EXPECT_FALSE(set(environment, "NCCL_PXN_DISABLE", "yes"));
  EXPECT_FALSE(set(environment, "NCCL_NETDEVS_POLICY", "MAX:"));
  EXPECT_EQ(environment, SearchEnvironment{});
}

TEST(NcclSearchVariables, AreSortedByNameAndAllStartWithNccl) {
  EXPECT_TRUE(std::ranges::is_sorted(search_variables(), {}, &SearchVariable::name));
  for (const SearchVariable& variable : search_variables())
    EXPECT_TRUE(variable.name.starts_with("NCCL_"));
  EXPECT_EQ(find_search_variable("NCCL_ALGO"), nullptr);
}

TEST(NcclSearchVariables, WithoutP2pGpusTalkThroughTheCpu) {
  // Ranks of an NVSwitch node without P2P go over the CPUs: rings at most of UPI's 22 GB/s (model
  // 143).
  SearchEnvironment environment;
  EXPECT_TRUE(set(environment, "NCCL_P2P_DISABLE", "1"));
  EXPECT_TRUE(set(environment, "NCCL_P2P_LEVEL", "NVL"));  // NCCL_P2P_DISABLE wins
  // Across the sockets NICs (48 GB/s) are faster, so that each is a node of its own, unless that is
  // off, too. Within one, the way through the CPU carries as much.
  EXPECT_EQ(make_communicator(make_system(testing::switched_node({})), 1, environment).nodes, 2);
  EXPECT_TRUE(set(environment, "NCCL_NET_DISABLE_INTRA", "1"));
  const Communicator found =
      make_communicator(make_system(testing::switched_node({})), 1, environment);
  const std::optional<Graph>& ring = found.graph(GraphId::ring);
  EXPECT_EQ(ring->type_intra, PathType::sys);
  EXPECT_LE(static_cast<float>(ring->channels) * ring->bandwidth_intra, 22);
}

}  // namespace
}  // namespace railyard::collectives::nccl
