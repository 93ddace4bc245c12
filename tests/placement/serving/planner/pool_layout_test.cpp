#include "placement/serving/planner/pool_layout.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace railyard::placement::serving {
namespace {

using Ranks = std::vector<std::uint32_t>;

TEST(PoolLayout, LargerReplicasComeFirstAndNoneIsSplitOverNodes) {
  // Nodes of 8: the decoding replica of 8 fills node 0, the prefill replicas of 4 halve node 1, and
  // the third begins node 2.
  const PoolLayout layout =
      pool_layout({.replicas = 3, .gpus = 4}, {.replicas = 1, .gpus = 8}, 8, 24);
  EXPECT_EQ(layout.decode[0], (Ranks{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(layout.prefill[0], (Ranks{8, 9, 10, 11}));
  EXPECT_EQ(layout.prefill[1], (Ranks{12, 13, 14, 15}));
  EXPECT_EQ(layout.prefill[2], (Ranks{16, 17, 18, 19}));
}

TEST(PoolLayout, AReplicaOfSeveralNodesTakesWholeOnes) {
  const PoolLayout layout =
      pool_layout({.replicas = 1, .gpus = 4}, {.replicas = 2, .gpus = 4}, 2, 12);
  EXPECT_EQ(layout.prefill[0], (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(layout.decode[1], (Ranks{8, 9, 10, 11}));
}

TEST(PoolLayout, WhereNoNodeHasRoomTheFirstFreeGpusAreTaken) {
  // Two nodes of 3: replicas of 2 leave one GPU in each.
  const PoolLayout layout =
      pool_layout({.replicas = 2, .gpus = 2}, {.replicas = 1, .gpus = 2}, 3, 6);
  EXPECT_EQ(layout.prefill[1], (Ranks{3, 4}));
  EXPECT_EQ(layout.decode[0], (Ranks{2, 5}));
  EXPECT_THROW(
      static_cast<void>(pool_layout({.replicas = 2, .gpus = 2}, {.replicas = 2, .gpus = 2}, 3, 6)),
      std::invalid_argument);
}

/// from, to, bytes per token.
void expect_parts(const PoolLayout& layout, const std::vector<CachePart>& expected) {
  const std::vector<CachePart> parts = cache_parts(layout, 0, 0);
  ASSERT_EQ(parts.size(), expected.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].from, expected[i].from);
    EXPECT_EQ(parts[i].to, expected[i].to);
    EXPECT_DOUBLE_EQ(parts[i].token_bytes, expected[i].token_bytes);
  }
}

TEST(PoolLayout, EachGpuThatDecodesGetsItsPartOfACache) {
  // 100 B per token and decoding GPU. From 2 to 4 GPUs each sender has two receivers; from 4 to 2
  // each receiver gets half from each of two senders.
  expect_parts({.prefill = {{0, 1}}, .decode = {{4, 5, 6, 7}}, .token_bytes = 100},
               {{0, 4, 100}, {0, 5, 100}, {1, 6, 100}, {1, 7, 100}});
  expect_parts({.prefill = {{0, 1, 2, 3}}, .decode = {{4, 5}}, .token_bytes = 100},
               {{0, 4, 50}, {1, 4, 50}, {2, 5, 50}, {3, 5, 50}});
}

}  // namespace
}  // namespace railyard::placement::serving
