#include "sim/packet/events/event_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace railyard::sim::packet {
namespace {

// Few and many events, spread evenly or at a few times, in windows of 1 ps to 1 ms.
TEST(EventSort, SortsAsTheOrderOfEventsSays) {
  std::mt19937_64 draw(7);
  EventSort sort;
  for (const std::int64_t width : {1, 255, 256, 1'000'000, 1'000'000'000})
    for (const std::uint32_t count : {0U, 1U, 2U, 23U, 24U, 1000U})
      for (const std::int64_t times : {std::int64_t{1}, std::int64_t{3}, width}) {
        const std::int64_t begin = 5 * width;
        std::vector<Event> events;
        for (std::uint32_t i = 0; i < count; ++i)
          events.emplace_back(
              begin + static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(times)) *
                          (width / times),
              EventKind::arrival, static_cast<std::uint32_t>(draw() % 64), i);
        auto expected = events;
        std::sort(expected.begin(), expected.end());
        sort(events, begin, width);
        ASSERT_EQ(events.size(), expected.size());
        for (std::uint32_t i = 0; i < count; ++i) {
          ASSERT_EQ(events[i].time, expected[i].time);
          ASSERT_EQ(events[i].key, expected[i].key);
        }
      }
}

TEST(EventSort, EventsOfOneTimeGoByKindThenByTarget) {
  std::vector<Event> events{
      {5, EventKind::post, 1}, {5, EventKind::arrival, 9}, {5, EventKind::arrival, 2}};
  EventSort()(events, 0, 10);
  EXPECT_EQ(events[0].target(), 2U);
  EXPECT_EQ(events[1].target(), 9U);
  EXPECT_EQ(events[2].kind(), EventKind::post);
}

}  // namespace
}  // namespace railyard::sim::packet
