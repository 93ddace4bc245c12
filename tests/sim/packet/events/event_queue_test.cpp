#include "sim/packet/events/event_queue.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace railyard::sim::packet {
namespace {

// Events that are pushed while others are popped, at distances from 1 ps to 1 s, against a sorted
// set.
TEST(EventQueue, PopsInOrderOfTimeAndTarget) {
  for (const double scale : {10.0, 1e3, 1e6, 1e9}) {
    std::mt19937_64 draw(7);
    std::exponential_distribution<double> gap(1 / scale);
    EventQueue queue;
    std::multiset<Event> expected;
    const auto push = [&](std::int64_t now, std::uint32_t target) {
      const double far = draw() % 16 == 0 ? 1000 : 1;
      const Event event(now + static_cast<std::int64_t>(far * gap(draw)), EventKind::arrival,
                        target);
      queue.push(event);
      expected.insert(event);
    };
    for (std::uint32_t i = 0; i < 500; ++i) push(0, i);
    for (int i = 0; i < 100'000; ++i) {
      const Event event = queue.pop();
      ASSERT_EQ(event.time, expected.begin()->time);
      ASSERT_EQ(event.key, expected.begin()->key);
      expected.erase(expected.begin());
      push(event.time, event.target());
    }
  }
}

TEST(EventQueue, EventsOfOneTimeGoByKind) {
  EventQueue queue;
  queue.push({5, EventKind::post, 1});
  queue.push({5, EventKind::arrival, 9});
  queue.push({5, EventKind::arrival, 2});
  EXPECT_EQ(queue.pop().target(), 2U);
  EXPECT_EQ(queue.pop().target(), 9U);
  EXPECT_EQ(queue.pop().target(), 1U);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace railyard::sim::packet
