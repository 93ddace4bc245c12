#include "hw/diagnose/hypothesis.hpp"

#include <gtest/gtest.h>

namespace railyard::hw {
namespace {

// Places 0 to 3; two nodes, of which node 0 is in the component.
constexpr PlaceSet kLow = 0b0011, kHigh = 0b1100, kAll = 0b1111, kPort2 = 0b0100;

RunPorts run(PlaceSet a, PlaceSet b) {
  return {.node_a = 0, .node_b = 1, .places_a = a, .places_b = b};
}

Hypothesis component(Meets meets, PlaceSet places, Traffic traffic = Traffic::by_rail) {
  return {.nodes = {true, false}, .places = places, .meets = meets, .traffic = traffic};
}

TEST(Exposure, AGpuIsMetByRunsThatUseIt) {
  const Hypothesis gpu = component(Meets::use, kPort2);
  EXPECT_TRUE(is_exposed(gpu, run(kHigh, kLow)));
  EXPECT_FALSE(is_exposed(gpu, run(kLow, kHigh)));  // node 1 uses that place, which is healthy
  EXPECT_FALSE(is_exposed(gpu, run(0, kHigh)));     // places not known
}

TEST(Exposure, ANodeIsMetWhicheverGpusAreUsed) {
  const Hypothesis node = component(Meets::use, kEveryPlace);
  EXPECT_TRUE(is_exposed(node, run(kLow, kLow)));
  EXPECT_TRUE(is_exposed(node, run(0, 0)));
}

TEST(Exposure, AnIslandIsCrossedByTrafficToOtherPorts) {
  Hypothesis island = component(Meets::crossing, kPort2);
  EXPECT_TRUE(is_exposed(island, run(kAll, kAll)));    // rail 2: node 0 in, node 1 not
  EXPECT_TRUE(is_exposed(island, run(kHigh, kLow)));   // port 2 sends to ports 0 and 1
  EXPECT_FALSE(is_exposed(island, run(kLow, kHigh)));  // port 2 of node 0 is not used
  island.nodes = {true, true};
  EXPECT_FALSE(is_exposed(island, run(kAll, kAll)));  // rail by rail: 2 to 2 only
  EXPECT_FALSE(is_exposed(island, run(kPort2, kPort2)));
  EXPECT_TRUE(is_exposed(island, run(kHigh, kLow)));
  island.traffic = Traffic::direct;
  EXPECT_TRUE(is_exposed(island, run(kAll, kAll)));  // 2 to 0, 1 and 3
}

TEST(Exposure, ARingCrossesBetweenLastAndFirstRanksOnly) {
  Hypothesis island = component(Meets::crossing, kPort2);
  RunPorts ring = run(kHigh, kHigh);
  ring.is_ring = true;
  ring.first_a = ring.first_b = 0b0100;
  ring.last_a = ring.last_b = 0b1000;
  // Port 3 of node 0 sends to port 2 of node 1: over rail 2, where node 0 is in and node 1 is not.
  EXPECT_TRUE(is_exposed(island, ring));
  ring.places_a = ring.places_b = kAll;
  ring.first_a = ring.first_b = 0b0001;
  EXPECT_FALSE(is_exposed(island, ring));  // rail 0 only
}

TEST(Exposure, ACutIsCrossedBetweenItsNodesAndOthers) {
  Hypothesis cut = component(Meets::crossing, kEveryPlace);
  EXPECT_TRUE(is_exposed(cut, run(kLow, kHigh)));
  cut.nodes = {true, true};
  EXPECT_FALSE(is_exposed(cut, run(kLow, kHigh)));
  cut.meets = Meets::pair;
  EXPECT_TRUE(is_exposed(cut, run(kLow, kHigh)));
}

}  // namespace
}  // namespace railyard::hw
