#include "placement/capacity/fabric/bill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using namespace literals;
using testing::HasSubstr;
using topology::FabricKind;

constexpr int kNodes = 256;

topology::FabricDesign design_of(FabricKind kind, int nodes = kNodes) {
  const topology::SwitchModel model =
      topology::switch_of_radix(64, 400_Gbps, topology::SwitchProtocol::infiniband);
  return topology::smallest_design(
             {.kind = kind,
              .demand =
                  {.nodes = nodes, .nics = 8, .rails = 8, .nics_of_rail = 1, .nic_rate = 400_Gbps},
              .models = {model, model, model}})
      .value();
}

PriceList prices() {
  const auto item = [](double price, int milliwatts) {
    return PriceItem{
        .price = price, .power = Power::milliwatts(milliwatts), .date = "2024", .source = "test"};
  };
  PriceList list{.name = "test", .currency = "USD"};
  list.items = {{"switch/a", item(30'000, 700'000)}, {"nic/400G", item(1000, 25'000)},
                {"copper/400G", item(200, 0)},       {"optic/400G_sr", item(600, 8'000)},
                {"optic/200G_sr", item(300, 5'000)}, {"fibre/cable", item(100, 0)},
                {"switch/generic", item(1, 30)}};
  list.items["optic/400G_sr"].low = 500;
  list.items["optic/400G_sr"].high = 900;
  list.items["switch/generic"].per = PricePer::gigabit_per_second;
  list.items["switch/generic"].estimate = true;
  list.items["switch/generic"].power_low = Power::milliwatts(20);
  list.items["switch/generic"].power_high = Power::milliwatts(60);
  list.items["switch/generic"].power_estimate = true;
  return list;
}

std::vector<BillLine> bill_of(FabricKind kind, const std::string& switch_item) {
  const topology::FabricDesign design = design_of(kind);
  return bill_of_materials(
      {.design = design,
       .demand = {.nodes = kNodes, .nics = 8, .rails = 8, .nics_of_rail = 1, .nic_rate = 400_Gbps},
       .switch_item = switch_item},
      prices());
}

std::int64_t count_of(const std::vector<BillLine>& bill, const std::string& part,
                      const std::string& tier) {
  for (const BillLine& line : bill)
    if (line.part == part && line.tier == tier) return line.count;
  return 0;
}

// 2,048 NICs on 64-port switches: 64 leaves, 32 spines, 2,048 links to the leaves and as many
// above. The four nodes of a leaf share a rack: copper. 256 nodes are 64 racks, a square of 12.6 m:
// optics.
TEST(Bill, ATwoTierFabricHasTheCountsOfItsDesign) {
  const auto bill = bill_of(FabricKind::leaf_spine, "switch/a");
  EXPECT_EQ(count_of(bill, "NIC", "node"), 2048);
  EXPECT_EQ(count_of(bill, "switch", "leaf"), 64);
  EXPECT_EQ(count_of(bill, "switch", "spine"), 32);
  EXPECT_EQ(count_of(bill, "copper cable", "NIC to leaf"), 2048);
  EXPECT_EQ(count_of(bill, "transceiver", "leaf to spine"), 2 * 2048);
  EXPECT_EQ(count_of(bill, "fibre cable", "leaf to spine"), 2048);
  const BillTotal total = total_of(bill);
  EXPECT_EQ(total.cables, 2 * 2048);
  EXPECT_EQ(total.transceivers, 4096);
  const double fixed = 2048 * 1000.0 + 96 * 30'000.0 + 2048 * (200.0 + 100.0);
  EXPECT_DOUBLE_EQ(total.price, fixed + 4096 * 600.0);
  EXPECT_DOUBLE_EQ(total.low, fixed + 4096 * 500.0);
  EXPECT_DOUBLE_EQ(total.high, fixed + 4096 * 900.0);
  EXPECT_DOUBLE_EQ(total.watts, 2048 * 25.0 + 96 * 700.0 + 4096 * 8.0);
  EXPECT_EQ(total.estimated, 0);
}

// A rail fabric joins 32 nodes on a leaf: eight racks, 4.5 m wide, so optics at both ends.
TEST(Bill, RailsLeaveTheRackAndNeedOptics) {
  const auto bill = bill_of(FabricKind::rail_clos, "switch/a");
  EXPECT_EQ(count_of(bill, "copper cable", "NIC to leaf"), 0);
  EXPECT_EQ(count_of(bill, "transceiver", "NIC to leaf"), 2 * 2048);
}

// Two planes of 200 Gb/s ports: 2,048 ports each on 128-port switches (64 ports of 400 Gb/s).
TEST(Bill, DualPlanesHaveTwiceTheCablesAtHalfTheRate) {
  const auto bill = bill_of(FabricKind::dual_plane, "switch/a");
  EXPECT_EQ(count_of(bill, "NIC", "node"), 2048);
  EXPECT_EQ(count_of(bill, "fibre cable", "NIC to leaf"), 2 * 2048);
  for (const BillLine& line : bill)
    if (line.part == "transceiver") {
      EXPECT_EQ(line.item, "optic/200G_sr");
    }
}

// 64 ports of 400 Gb/s at 1 USD and 30 mW (20 to 60) per Gb/s: 25,600 USD and 768 W (512 to 1,536).
TEST(Bill, ASwitchOfARadixCostsByItsCapacity) {
  const auto bill = bill_of(FabricKind::leaf_spine, "switch/generic");
  for (const BillLine& line : bill) {
    if (line.part != "switch") continue;
    EXPECT_DOUBLE_EQ(line.unit_price, 25'600);
    EXPECT_DOUBLE_EQ(line.watts, 768.0 * static_cast<double>(line.count));
    EXPECT_TRUE(line.is_estimate && line.is_power_estimate);
  }
  const BillTotal total = total_of(bill);
  EXPECT_DOUBLE_EQ(total.estimated, 96 * 25'600.0);
  EXPECT_DOUBLE_EQ(total.watts_estimated, 96 * 768.0);
  EXPECT_DOUBLE_EQ(total.watts - total.watts_low, 96 * (768.0 - 512.0));
  EXPECT_DOUBLE_EQ(total.watts_high - total.watts, 96 * (1536.0 - 768.0));
}

// 32 nodes of 8 NICs on 64-port switches. A leaf with n nodes has 8 n ports down and 8 n / o up.
// 2:1: 4 nodes, 32 + 16 ports: 8 leaves of 16 uplinks, 2 spines of 8 x 8 ports: 10 switches. 5
// nodes, 40 + 20 ports, need 7 leaves and, with 5 links to each, 4 spines: 11.
// 4:1: 6 nodes, 48 + 12 ports: 6 leaves of 12 uplinks, 2 spines: 8 switches. 4 nodes, 32 + 8 ports,
// need 8 leaves and 1 spine: 9.
// The smallest design has 4 nodes on a leaf at 2:1, which share a rack, and 6 at 4:1, which do not:
// its 256 links to the leaves are optics, 2 x 600 + 100 in place of 200.
TEST(Bill, FourToOneMayCostMoreThanTwoToOneBecauseItsLeavesSpanRacks) {
  const topology::SwitchModel model =
      topology::switch_of_radix(64, 400_Gbps, topology::SwitchProtocol::infiniband);
  const auto bill_at = [&](double oversubscription, const RoomLayout& room) {
    const topology::FabricDemand demand{
        .nodes = 32, .nics = 8, .rails = 8, .nics_of_rail = 1, .nic_rate = 400_Gbps};
    const topology::FabricDesign design =
        topology::smallest_design({.kind = FabricKind::leaf_spine,
                                   .tiers = 2,
                                   .demand = demand,
                                   .models = {model, model, model},
                                   .leaf_oversubscription = oversubscription})
            .value();
    return bill_of_materials(
        {.design = design, .demand = demand, .switch_item = "switch/a", .room = room}, prices());
  };
  const auto two = bill_at(2, {}), four = bill_at(4, {});
  EXPECT_EQ(count_of(two, "switch", "leaf") + count_of(two, "switch", "spine"), 10);
  EXPECT_EQ(count_of(four, "switch", "leaf") + count_of(four, "switch", "spine"), 8);
  EXPECT_EQ(count_of(two, "copper cable", "NIC to leaf"), 256);
  EXPECT_EQ(count_of(four, "transceiver", "NIC to leaf"), 512);
  EXPECT_EQ(count_of(two, "fibre cable", "leaf to spine"), 128);
  EXPECT_EQ(count_of(four, "fibre cable", "leaf to spine"), 72);
  // Two switches and 56 links above the leaves are saved, 256 links below cost 1,100 more.
  EXPECT_DOUBLE_EQ(total_of(four).price - total_of(two).price,
                   256 * 1100.0 - 2 * 30'000.0 - 56 * 1300.0);
  // With 8 nodes in a rack both have copper below the leaves, and 4:1 is cheaper.
  RoomLayout dense;
  dense.nodes_per_rack = 8;
  EXPECT_DOUBLE_EQ(total_of(bill_at(4, dense)).price - total_of(bill_at(2, dense)).price,
                   -2 * 30'000.0 - 56 * 1300.0);
}

TEST(Bill, AMissingPriceIsNamed) {
  try {
    static_cast<void>(bill_of(FabricKind::leaf_spine, "switch/b"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no item 'switch/b'"));
    EXPECT_THAT(error.what(), HasSubstr("switch/a"));
  }
}

// 2,048 nodes are 512 racks: a square of 35.8 m. A unit of 32 nodes is 8 racks of 4.5 m.
TEST(CableRuns, LengthsGrowWithTheGroupThatSharesSwitches) {
  const topology::FabricDesign design = design_of(FabricKind::rail_clos, 2048);
  const auto runs = cable_runs(design, 2048, 400_Gbps, {});
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[2].tier, "spine to core");
  EXPECT_NEAR(runs[2].longest_metres, 5 + std::sqrt(512 * 2.5), 1e-9);
  EXPECT_NEAR(runs[2].mean_metres, 5 + std::sqrt(512 * 2.5) / 2, 1e-9);
  EXPECT_EQ(runs[2].medium, CableMedium::multimode);
  EXPECT_LT(runs[0].longest_metres, runs[1].longest_metres);
  EXPECT_LE(runs[1].longest_metres, runs[2].longest_metres);
  RoomLayout wide;
  wide.square_metres_per_rack = 10;  // 71.6 m across
  EXPECT_EQ(cable_runs(design, 2048, 400_Gbps, wide)[2].medium, CableMedium::single_mode);
}

}  // namespace
}  // namespace railyard::placement
