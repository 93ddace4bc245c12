#include "placement/serving/service/prefix_cache.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace railyard::placement::serving {
namespace {

using Blocks = std::vector<std::uint32_t>;

TEST(PrefixCache, APrefixIsHitUpToTheFirstUnknownBlock) {
  PrefixCache cache;
  for (const std::uint32_t block : {1U, 2U, 4U}) EXPECT_TRUE(cache.insert(block));
  EXPECT_FALSE(cache.insert(2));
  EXPECT_EQ(cache.hits(Blocks{1, 2, 3, 4}), 2U);
  EXPECT_EQ(cache.hits(Blocks{3}), 0U);
}

TEST(PrefixCache, TheLastBlockOfTheLongestUnusedSequenceGoesFirst) {
  PrefixCache cache;
  for (const std::uint32_t block : {1U, 2U, 7U}) EXPECT_TRUE(cache.insert(block));
  EXPECT_EQ(cache.unpin(Blocks{1, 2}), 2);
  EXPECT_EQ(cache.unpin(Blocks{7}), 1);
  cache.evict();
  EXPECT_EQ(cache.hits(Blocks{1, 2}), 1U);
  cache.evict();
  EXPECT_EQ(cache.hits(Blocks{1}), 0U);
  EXPECT_EQ(cache.hits(Blocks{7}), 1U);
}

TEST(PrefixCache, APinnedBlockIsNotIdle) {
  PrefixCache cache;
  EXPECT_TRUE(cache.insert(1));
  EXPECT_EQ(cache.pin(Blocks{1}), 0);
  EXPECT_EQ(cache.unpin(Blocks{1}), 0);
  EXPECT_EQ(cache.idle(), 0);
  EXPECT_EQ(cache.unpin(Blocks{1}), 1);
  EXPECT_EQ(cache.idle(), 1);
  EXPECT_EQ(cache.pin(Blocks{1}), 1);
  EXPECT_EQ(cache.idle(), 0);
}

}  // namespace
}  // namespace railyard::placement::serving
