#include "placement/search/batch_split.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace railyard::placement {
namespace {

ReplicaLoad load(std::int64_t each, std::int64_t once, int replicas) {
  return {.each = Time::picoseconds(each), .once = Time::picoseconds(once), .replicas = replicas};
}

using Shares = std::vector<BatchShare>;

// One replica takes 1 a micro-batch, the other 2: of nine 6 and 3. Two fast ones and a slow one of
// eleven: by 5 they do 5 + 5 + 2 = 12, one too many, by 4 only 10; both fast ones end at 5, so one
// of them has 4.
TEST(BatchSplit, FastReplicasGetMoreByHand) {
  EXPECT_EQ(split_batches(std::vector{load(1, 0, 1), load(2, 0, 1)}, 9), (Shares{{6, 0}, {3, 0}}));
  EXPECT_EQ(split_batches(std::vector{load(1, 0, 2), load(2, 0, 1)}, 11), (Shares{{5, 1}, {2, 0}}));
  // 6 more before the first: 3·1 + 6 = 9 and 4·2 = 8.
  EXPECT_EQ(split_batches(std::vector{load(1, 6, 1), load(2, 0, 1)}, 7), (Shares{{3, 0}, {4, 0}}));
  EXPECT_TRUE(split_batches(std::vector{load(1, 0, 4), load(2, 0, 4)}, 7).empty());
  EXPECT_EQ(split_batches(std::vector{load(1, 0, 4), load(9, 0, 4)}, 8), (Shares{{1, 0}, {1, 0}}));
}

TEST(BatchSplit, NoWayOfAllEndsEarlier) {
  std::mt19937 random(11);
  const auto any = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<ReplicaLoad> each;  // one replica a class
    for (int i = any(1, 4); i > 0; --i) each.push_back(load(any(1, 9), any(0, 20), 1));
    const int m = any(static_cast<int>(each.size()), 16);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const std::function<void(std::size_t, int, std::int64_t)> deal = [&](std::size_t at, int left,
                                                                         std::int64_t end) {
      if (at == each.size()) {
        if (left == 0) least = std::min(least, end);
        return;
      }
      for (int n = 1; n <= left; ++n)
        deal(at + 1, left - n, std::max(end, (each[at].once + each[at].each * n).picoseconds()));
    };
    deal(0, m, 0);
    const Shares shares = split_batches(each, m);
    ASSERT_EQ(shares.size(), each.size());
    std::int64_t end = 0;
    int sum = 0;
    for (std::size_t i = 0; i < each.size(); ++i) {
      EXPECT_EQ(shares[i].fewer, 0);
      sum += shares[i].micro_batches;
      end = std::max(end, (each[i].once + each[i].each * shares[i].micro_batches).picoseconds());
    }
    EXPECT_EQ(sum, m);
    EXPECT_EQ(end, least) << "round " << round;
  }
}

}  // namespace
}  // namespace railyard::placement
