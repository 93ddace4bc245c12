#include "sim/packet/engine/shards.hpp"

#include <gtest/gtest.h>

namespace railyard::sim::packet {
namespace {

using Shards = std::vector<std::uint16_t>;

// Hosts 0 to 3, leaves 4 and 5 of two hosts each, spine 6: a leaf stays with its hosts. The spine
// has as many hops from either, and both shards have the same work: the first one takes it.
TEST(Shards, ALeafStaysWithItsHosts) {
  const std::vector<std::uint8_t> is_host{1, 1, 1, 1, 0, 0, 0};
  const std::vector<DomainLink> links{{0, 4, 10}, {1, 4, 10}, {5, 2, 10},
                                      {5, 3, 10}, {4, 6, 20}, {6, 5, 20}};
  EXPECT_EQ(assign_shards(is_host, links, 2), (Shards{0, 0, 1, 1, 0, 1, 0}));
}

// Two spines that see both leaves alike go to different shards: after the first one it has more
// work.
TEST(Shards, SpinesAreSpread) {
  const std::vector<std::uint8_t> is_host{1, 1, 0, 0, 0, 0};
  const std::vector<DomainLink> links{{0, 2, 10}, {3, 1, 10}, {2, 4, 5},
                                      {4, 3, 5},  {2, 5, 5},  {5, 3, 5}};
  EXPECT_EQ(assign_shards(is_host, links, 2), (Shards{0, 1, 0, 1, 0, 1}));
}

// Host 0 has as many hops as the other three together.
TEST(Shards, HostsAreCutByTheirWork) {
  const std::vector<std::uint8_t> is_host{1, 1, 1, 1, 0};
  const std::vector<DomainLink> links{{0, 4, 30}, {1, 4, 10}, {2, 4, 10}, {3, 4, 10}};
  const Shards made = assign_shards(is_host, links, 2);
  EXPECT_EQ(Shards(made.begin(), made.begin() + 4), (Shards{0, 1, 1, 1}));
}

// The last shards get a host each, also where the first hosts have all the work.
TEST(Shards, EveryShardHasAHost) {
  const std::vector<std::uint8_t> is_host{1, 1, 1, 0};
  const std::vector<DomainLink> links{{2, 3, 100}};
  EXPECT_EQ(assign_shards(is_host, links, 3), (Shards{0, 1, 2, 2}));
}

}  // namespace
}  // namespace railyard::sim::packet
