#include "topology/node/nearest_nic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two bits in reverse order: 0, 1, 2, 3 become 0, 2, 1, 3.
TEST(NicOfChannel, MirrorsTheBitsWhereTheNicsAreAPowerOfTwo) {
  std::vector<int> first;
  for (int gpu = 0; gpu < 4; ++gpu)
    first.push_back(nic_of_channel({.gpu = gpu, .nics = 4, .per_gpu = 1}, 0));
  EXPECT_THAT(first, ElementsAre(0, 2, 1, 3));
}

// GPU 1 of three NICs, two to a GPU: 1, 2, and again from 1.
TEST(NicOfChannel, TakesItsNicsInTurn) {
  std::vector<int> turns;
  for (int channel = 0; channel < 3; ++channel)
    turns.push_back(nic_of_channel({.gpu = 1, .nics = 3, .per_gpu = 2}, channel));
  EXPECT_THAT(turns, ElementsAre(1, 2, 1));
}

// The most bandwidth wins, whatever the type; of equal bandwidth the nearer type; what is not
// reached never counts.
TEST(NearestOf, IsByBandwidthThenType) {
  const std::array<NicDistance, 5> paths{{{PathType::pix, Bandwidth::gigabytes_per_second(10)},
                                          {PathType::sys, Bandwidth::gigabytes_per_second(20)},
                                          {PathType::phb, Bandwidth::gigabytes_per_second(20)},
                                          {PathType::dis, Bandwidth::gigabytes_per_second(40)},
                                          {PathType::phb, Bandwidth::gigabytes_per_second(20)}}};
  const Nearest found = nearest_of(paths.size(), [&](std::size_t i) { return paths[i]; });
  EXPECT_THAT(found.indices, ElementsAre(2, 4));
  EXPECT_EQ(found.type, PathType::phb);
  EXPECT_THAT(nearest_of(1, [&](std::size_t) { return paths[3]; }).indices, IsEmpty());
}

}  // namespace
}  // namespace railyard::topology
