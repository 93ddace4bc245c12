#include "sim/packet/events/window_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace railyard::sim::packet {
namespace {

// Windows at distances from 1 to a million, against a sorted map.
TEST(WindowQueue, WindowsComeInOrderWithAllTheirDomains) {
  for (const std::int64_t far : {2, 1023, 1024, 1025, 1'000'000}) {
    std::mt19937_64 draw(7);
    WindowQueue queue;
    std::map<std::int64_t, std::multiset<std::uint32_t>> expected;
    std::int64_t now = -1;
    const auto push = [&](std::uint32_t domain) {
      const std::int64_t window =
          now + 1 + static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(far));
      queue.push(window, domain);
      expected[window].insert(domain);
    };
    for (std::uint32_t i = 0; i < 200; ++i) push(i);
    std::vector<std::uint32_t> domains;
    int left = 5000;
    while (queue.next(now, domains)) {
      ASSERT_EQ(now, expected.begin()->first);
      ASSERT_EQ(std::multiset<std::uint32_t>(domains.begin(), domains.end()),
                expected.begin()->second);
      expected.erase(expected.begin());
      for (const std::uint32_t domain : domains)
        if (left-- > 0) push(domain);
    }
    EXPECT_TRUE(expected.empty());
  }
}

// Domain 1 is no longer due in window 3, nor domain 3 in 2000: both windows are passed over.
TEST(WindowQueue, PeekPassesOverWindowsInWhichNoDomainIsDue) {
  WindowQueue queue;
  queue.push(3, 1);
  queue.push(5, 1);
  queue.push(2000, 3);
  queue.push(3000, 1);
  const auto is_due = [](std::uint32_t domain, std::int64_t window) {
    return domain == 1 && window != 3;
  };
  std::int64_t window = 0;
  std::vector<std::uint32_t> domains;
  EXPECT_EQ(queue.peek(is_due), 5);
  ASSERT_TRUE(queue.next(window, domains));
  EXPECT_EQ(window, 5);
  EXPECT_EQ(queue.peek(is_due), 3000);
  EXPECT_EQ(queue.peek([](std::uint32_t, std::int64_t) { return false; }), WindowQueue::kNone);
  EXPECT_FALSE(queue.next(window, domains));
}

}  // namespace
}  // namespace railyard::sim::packet
