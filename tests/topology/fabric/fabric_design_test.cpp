#include "topology/fabric/fabric_design.hpp"

#include <gtest/gtest.h>

#include "tests/topology/small_cluster.hpp"
#include "topology/cluster/summary.hpp"
#include "topology/fabric/port_count.hpp"

namespace railyard::topology {
namespace {

using namespace literals;

constexpr std::int64_t kNics = 8;

DesignRequest request_of(FabricKind kind, int radix, int nodes, int tiers = 0) {
  const SwitchModel model = switch_of_radix(radix, 400_Gbps, SwitchProtocol::ethernet);
  return {.kind = kind,
          .tiers = tiers,
          .demand = {.nodes = nodes,
                     .nics = kNics,
                     .rails = kNics,
                     .nics_of_rail = 1,
                     .nic_rate = 400_Gbps},
          .models = {model, model, model}};
}

// A non-blocking folded Clos of R-port switches has R^2/2 ports in two tiers and R^3/4 in three
// (Al-Fares et al. 2008); planes of half the rate have the R of twice the ports. Nodes have 8 NICs,
// and without rails a leaf takes whole nodes, so that R/2 is a multiple of 8 here.
TEST(FabricDesign, LargestFabricsAreThoseOfTheClosedForms) {
  for (const int radix : {16, 32, 64}) {
    const int two = radix * radix / 2 / 8, three = radix * radix * radix / 4 / 8;
    EXPECT_EQ(most_nodes(request_of(FabricKind::leaf_spine, radix, 1)), two) << radix;
    EXPECT_EQ(most_nodes(request_of(FabricKind::clos3, radix, 1)), three) << radix;
    EXPECT_EQ(most_nodes(request_of(FabricKind::fat_tree, radix, 1)), three) << radix;
    EXPECT_EQ(most_nodes(request_of(FabricKind::rail_clos, radix, 1, 2)), two) << radix;
    EXPECT_EQ(most_nodes(request_of(FabricKind::rail_clos, radix, 1)), three) << radix;
    EXPECT_EQ(most_nodes(request_of(FabricKind::rail_only, radix, 1)), radix) << radix;
    EXPECT_EQ(most_nodes(request_of(FabricKind::dual_plane, radix, 1, 2)), 4 * two) << radix;
  }
}

// 32 ports down and 32 up on leaves of 64 ports; the spines have as many ports down as leaves have
// up: 2,048 NICs are 64 leaves and 32 spines in two tiers.
TEST(FabricDesign, FullTwoTierFabricHasThreeSwitchesPerRadixOfNics) {
  for (const FabricKind kind : {FabricKind::leaf_spine, FabricKind::rail_clos}) {
    const auto design = smallest_design(request_of(kind, 64, 256));
    ASSERT_TRUE(design);
    EXPECT_EQ(design->tiers[0].switches, 64);
    EXPECT_EQ(design->tiers[1].switches, 32);
    EXPECT_EQ(design->tiers[2].switches, 0);
    EXPECT_EQ(design->nic_links, 2048);
    EXPECT_EQ(design->leaf_links, 2048);
  }
}

// 16,384 NICs on 64-port switches: 512 leaves, 512 spines, 256 cores; every tier carries 16,384
// links. In dual planes each of the two has 16,384 ports of 200 Gb/s on 128-port switches: R^2/2 is
// 8,192, so three tiers: 256 leaves, 256 spines, 128 cores a plane.
TEST(FabricDesign, SixteenThousandGpusNeedTheSwitchesOfTheClosedForm) {
  for (const FabricKind kind : {FabricKind::clos3, FabricKind::rail_clos}) {
    const auto design = smallest_design(request_of(kind, 64, 2048));
    ASSERT_TRUE(design);
    EXPECT_EQ(design->tiers[0].switches, 512);
    EXPECT_EQ(design->tiers[1].switches, 512);
    EXPECT_EQ(design->tiers[2].switches, 256);
    EXPECT_EQ(design->leaf_links, 16384);
    EXPECT_EQ(design->spine_links, 16384);
  }
  const auto planes = smallest_design(request_of(FabricKind::dual_plane, 64, 2048));
  ASSERT_TRUE(planes);
  EXPECT_EQ(planes->tiers[0].switches, 2 * 256);
  EXPECT_EQ(planes->tiers[1].switches, 2 * 256);
  EXPECT_EQ(planes->tiers[2].switches, 2 * 128);
  EXPECT_EQ(planes->nic_links, 2 * 16384);
  EXPECT_FALSE(smallest_design(request_of(FabricKind::leaf_spine, 64, 2048)));
  EXPECT_FALSE(smallest_design(request_of(FabricKind::rail_only, 64, 65)));
}

// 2:1: 40 ports down and 20 up (whole nodes of 8 on a leaf of 64), 20 links to each spine.
TEST(FabricDesign, OversubscriptionIsExactAndSavesSpines) {
  DesignRequest request = request_of(FabricKind::leaf_spine, 64, 256);
  request.leaf_oversubscription = 2;
  const auto design = smallest_design(request);
  ASSERT_TRUE(design);
  EXPECT_EQ(design->tiers[0].down, 40);
  EXPECT_EQ(design->tiers[0].up, 20);
  EXPECT_DOUBLE_EQ(design->fabric.leaf_oversubscription, 2);
  EXPECT_EQ(design->tiers[0].switches, 52);  // 256 nodes, 5 on a leaf
  EXPECT_EQ(design->tiers[1].switches, 20);  // 52 ports each
}

// The designer's counts are those of the fabric that the generator builds of its parameters, and no
// switch has more ports than there are.
TEST(FabricDesign, WhatIsDesignedIsBuilt) {
  using enum FabricKind;
  for (const FabricKind kind : {leaf_spine, clos3, fat_tree, rail_clos, rail_only, dual_plane}) {
    for (const int nodes : {3, 16, 30, 100}) {
      for (const double ratio : {1.0, 2.0}) {
        DesignRequest request = request_of(kind, 16, nodes);
        request.demand.nics = request.demand.rails = 4;
        if (kind != fat_tree) request.leaf_oversubscription = ratio;
        const auto design = smallest_design(request);
        if (!design) continue;
        const Cluster cluster = build_cluster(small_spec(nodes, 4, design->fabric));
        for (std::size_t tier = 0; tier < 3; ++tier) {
          const auto device =
              static_cast<DeviceKind>(static_cast<std::size_t>(DeviceKind::leaf) + tier);
          EXPECT_EQ(count(cluster, device), static_cast<std::size_t>(design->tiers[tier].switches))
              << static_cast<int>(kind) << " nodes " << nodes << " tier " << tier;
        }
        const auto links = design->leaf_links + design->spine_links;
        EXPECT_EQ(count(cluster, LinkKind::fabric), static_cast<std::size_t>(2 * links));
        EXPECT_EQ(count(cluster, LinkKind::port), static_cast<std::size_t>(2 * design->nic_links));
        for (const TierPorts& ports : count_ports(cluster)) {
          const auto share = ports.share_of(*ports.model);
          ASSERT_TRUE(share);
          EXPECT_GE(share->free, 0) << static_cast<int>(kind) << " nodes " << nodes;
        }
      }
    }
  }
}

// Baidu's fabric of 16,000 GPUs on InfiniBand: 40^3/4 ports of 40-port HDR switches; 20 nodes of 8
// NICs on the eight leaves of a unit: 800 leaves, 800 spines, 400 cores.
TEST(FabricDesign, BaiduInfinibandOf16000HasTheSwitchesOfAFullFatTree) {
  const Summary summary = summarise(build_cluster(read_cluster("clos_baidu_ib")));
  ASSERT_EQ(summary.tiers.size(), 3U);
  EXPECT_EQ(summary.tiers[0].switches, 800U);
  EXPECT_EQ(summary.tiers[1].switches, 800U);
  EXPECT_EQ(summary.tiers[2].switches, 400U);
  DesignRequest request = request_of(FabricKind::fat_tree, 40, 2000);
  const auto design = smallest_design(request);
  ASSERT_TRUE(design);
  EXPECT_EQ(design->switches(), 2000);
}

// Baidu's fabric of 3,200 GPUs on RoCE with 64-port switches: four nodes (32 ports) on a leaf: 100
// leaves; 32 spines in each of 4 pods; 64 cores of 4 x 16 links. The smallest that can be built has
// 100 leaves and as many uplinks on spines of 32 down and 32 up: 100 spines, and 50 cores.
TEST(FabricDesign, BaiduRoceOf3200HasTheSwitchesOfItsPlan) {
  const Summary summary = summarise(build_cluster(read_cluster("clos_baidu_roce")));
  ASSERT_EQ(summary.tiers.size(), 3U);
  EXPECT_EQ(summary.tiers[0].switches, 100U);
  EXPECT_EQ(summary.tiers[1].switches, 128U);
  EXPECT_EQ(summary.tiers[2].switches, 64U);
  const auto design = smallest_design(request_of(FabricKind::clos3, 64, 400));
  ASSERT_TRUE(design);
  EXPECT_EQ(design->tiers[0].switches, 100);
  EXPECT_LE(design->switches(), 100 + 128 + 64);
  EXPECT_GE(design->switches(), 100 + 100 + 50);
}

}  // namespace
}  // namespace railyard::topology
