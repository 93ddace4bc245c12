#include "topology/routing/routing_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/small_cluster.hpp"
#include "topology/fabric/read_switch_model.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RoutingNotes, OneQueuePairOnTwoPlanesIsNoted) {
  const Cluster planes = build_cluster(
      small_spec(4, 2, {.kind = FabricKind::dual_plane, .nodes_per_unit = 2, .tiers = 2}));
  EXPECT_THAT(routing_notes(planes, {.qps = 1}), ElementsAre(HasSubstr("--qps 2 uses both")));
  EXPECT_THAT(routing_notes(planes, {.qps = 2}), IsEmpty());
  EXPECT_THAT(routing_notes(planes, {.policy = RoutingPolicy::spray, .qps = 1}), IsEmpty());
  // A single node uses no plane; a single plane has no second.
  const Cluster one = build_cluster(
      small_spec(1, 2, {.kind = FabricKind::dual_plane, .nodes_per_unit = 2, .tiers = 2}));
  EXPECT_THAT(routing_notes(one, {.qps = 1}), IsEmpty());
  const Cluster rails = build_cluster(
      small_spec(4, 2, {.kind = FabricKind::rail_clos, .nodes_per_unit = 2, .tiers = 2}));
  EXPECT_THAT(routing_notes(rails, {.qps = 1}), IsEmpty());
}

// Leaves of five nodes of 8 NICs need 40 ports down and 40 up; a Quantum-2 switch has 64.
TEST(RoutingNotes, AFabricThatCannotBeBuiltIsNotedWhereItsSwitchIsNamed) {
  FabricSpec fabric{.kind = FabricKind::leaf_spine, .nodes_per_unit = 5};
  EXPECT_THAT(routing_notes(build_cluster(small_spec(40, 8, fabric)), {}), IsEmpty());
  fabric.switch_model = "quantum2";
  std::vector<Diagnostic> problems;
  read_switch_models(fabric, "small.json", problems);
  EXPECT_THAT(routing_notes(build_cluster(small_spec(40, 8, fabric)), {}),
              ElementsAre(HasSubstr("this fabric cannot be built: ")));
}

TEST(RoutingNotes, OnlyHashesDependOnTheSeed) {
  EXPECT_THAT(why_seed_is_unused(RoutingPolicy::rail), HasSubstr("by destination"));
  EXPECT_THAT(why_seed_is_unused(RoutingPolicy::spray), HasSubstr("all paths evenly"));
  for (const RoutingPolicy policy :
       {RoutingPolicy::ecmp, RoutingPolicy::balanced, RoutingPolicy::adaptive})
    EXPECT_THAT(why_seed_is_unused(policy), IsEmpty());
}

}  // namespace
}  // namespace railyard::topology
