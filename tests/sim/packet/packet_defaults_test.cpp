#include "sim/packet/packet_defaults.hpp"

#include <gtest/gtest.h>

namespace railyard::sim::packet {
namespace {

TEST(PacketDefaults, TheTransportIsThatOfTheFabric) {
  EXPECT_EQ(transport_of(topology::Transport::roce), Transport::roce);
  EXPECT_EQ(transport_of(topology::Transport::infiniband), Transport::ib);
  EXPECT_EQ(transport_of(topology::Transport::tcp), std::nullopt);
}

TEST(PacketDefaults, TransportsThatReorderSprayUnlessAPolicyIsAskedFor) {
  using enum topology::RoutingPolicy;
  const topology::RoutingOptions hashed{.policy = ecmp};
  EXPECT_EQ(packet_routing(Transport::uec, hashed, false).policy, spray);
  EXPECT_EQ(packet_routing(Transport::ndp, hashed, false).policy, spray);
  EXPECT_EQ(packet_routing(Transport::uec, hashed, true).policy, ecmp);
  EXPECT_EQ(packet_routing(Transport::roce, hashed, false).policy, ecmp);
}

}  // namespace
}  // namespace railyard::sim::packet
