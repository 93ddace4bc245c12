#include "topology/fabric/switch_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "topology/fabric/read_switch_model.hpp"

namespace railyard::topology {
namespace {

using namespace literals;
using testing::HasSubstr;

SwitchModel tomahawk5() {
  return {.name = "t5", .ports = {{800_Gbps, 64}, {400_Gbps, 128}, {200_Gbps, 256}}};
}

std::optional<int> used(std::vector<UsedPorts> ports) { return cages_used(tomahawk5(), ports); }

TEST(SwitchModel, APortRunsAtLowerSpeedsToo) {
  EXPECT_EQ(ports_at(tomahawk5(), 800_Gbps), 64);
  EXPECT_EQ(ports_at(tomahawk5(), 400_Gbps), 128);
  EXPECT_EQ(ports_at(tomahawk5(), 300_Gbps), 128);
  EXPECT_EQ(ports_at(tomahawk5(), 25_Gbps), 256);
  EXPECT_EQ(ports_at(tomahawk5(), 1600_Gbps), std::nullopt);
}

// HPN's leaf: 128 ports of 200 Gb/s on 32 cages, 60 of 400 Gb/s on 30.
TEST(SwitchModel, EachCageIsBrokenOutForOneSpeed) {
  EXPECT_EQ(used({{200_Gbps, 128}, {400_Gbps, 60}}), 62);
  EXPECT_EQ(used({{400_Gbps, 128}}), 64);
  EXPECT_EQ(used({{400_Gbps, 1}, {200_Gbps, 1}}), 2);
  EXPECT_EQ(used({{400_Gbps, 129}}), 65);
  EXPECT_EQ(used({{1600_Gbps, 1}}), std::nullopt);
}

TEST(SwitchModel, RatesThatNoPortHasAreTold) {
  EXPECT_TRUE(is_port_speed(tomahawk5(), 400_Gbps));
  EXPECT_TRUE(is_port_speed(tomahawk5(), 100_Gbps));
  EXPECT_FALSE(is_port_speed(tomahawk5(), 1600_Gbps));
  EXPECT_FALSE(is_port_speed(tomahawk5(), Bandwidth::megabits_per_second(355'556)));
}

TEST(SwitchModel, RadixDoublesAtHalfTheSpeed) {
  const SwitchModel model = switch_of_radix(64, 400_Gbps, SwitchProtocol::infiniband);
  EXPECT_EQ(ports_at(model, 400_Gbps), 64);
  EXPECT_EQ(ports_at(model, 200_Gbps), 128);
  EXPECT_EQ(cages(model), 64);
}

// Capacity is the same at every speed that a switch breaks out to.
TEST(SwitchModel, ShippedSwitchesHaveOneCapacity) {
  for (const std::string& name : core::config_names("switches")) {
    const SwitchModel model = read_switch_model(name);
    for (const PortMode& mode : model.ports)
      EXPECT_EQ(mode.speed * mode.count, model.ports[0].speed * model.ports[0].count) << name;
  }
}

TEST(SwitchModel, LargestIsTheFixedSwitchWithTheMostPorts) {
  EXPECT_EQ(ports_at(largest_switch(SwitchProtocol::ethernet, 400_Gbps), 400_Gbps), 256);
  EXPECT_EQ(ports_at(largest_switch(SwitchProtocol::infiniband, 800_Gbps), 800_Gbps), 144);
  EXPECT_THROW(static_cast<void>(largest_switch(SwitchProtocol::infiniband, 1600_Gbps)),
               InputError);
}

TEST(SwitchModel, AFabricNamesItsSwitchesByTier) {
  FabricSpec fabric{.transport = Transport::roce,
                    .switch_model = "tomahawk4",
                    .spine_switch_model = "arista_7800r3"};
  std::vector<Diagnostic> problems;
  read_switch_models(fabric, "c.json", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_THAT(fabric.models[0]->name, HasSubstr("Tomahawk 4"));
  EXPECT_THAT(fabric.models[1]->name, HasSubstr("Arista"));
  EXPECT_THAT(fabric.models[2]->name, HasSubstr("Arista"));
}

TEST(SwitchModel, ASwitchOfAnotherProtocolIsRefused) {
  FabricSpec fabric{.transport = Transport::roce, .switch_model = "quantum2"};
  std::vector<Diagnostic> problems;
  read_switch_models(fabric, "c.json", problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].pointer, "/fabric/switch_model");
  EXPECT_THAT(problems[0].message, HasSubstr("infiniband switch"));
}

}  // namespace
}  // namespace railyard::topology
