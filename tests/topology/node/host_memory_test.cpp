#include "topology/node/host_memory.hpp"

#include <gtest/gtest.h>

namespace railyard::topology {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(HostMemory, ServesAPartOfWhatIsLargerThanItsCache) {
  const HostMemory memory{.cache = Bytes(32 * kMiB),
                          .bandwidth = Bandwidth::gigabits_per_second(100)};
  EXPECT_EQ(memory.part(Bytes()), 1);
  // 24 MiB of the 32 count.
  EXPECT_EQ(memory.part(Bytes(24 * kMiB)), 1);
  // Half of 48 MiB stays: (1/2 - 3/16) / (1 - 3/16) = 5/13.
  EXPECT_NEAR(memory.part(Bytes(48 * kMiB)), 5.0 / 13, 1e-12);
  // Where memory was measured, and beyond.
  EXPECT_EQ(memory.part(Bytes(128 * kMiB)), 0);
  EXPECT_EQ(memory.part(Bytes(1024 * kMiB)), 0);
}

}  // namespace
}  // namespace railyard::topology
