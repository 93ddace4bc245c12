#include "collectives/traffic/completion_times.hpp"

#include <gtest/gtest.h>

namespace railyard::collectives {
namespace {

using namespace railyard::literals;

TEST(CompletionTimes, CountFromTheStartOfEachMessage) {
  // 3, 2 and 7 us; the first begins at 1 us, the last ends at 12 us. Mean 4, median 3.
  collectives::Run run;
  run.tasks = {{.start = 1_us, .finish = 4_us, .bound_by = {}},
               {.start = 2_us, .finish = 4_us, .bound_by = {}},
               {.start = 5_us, .finish = 12_us, .bound_by = {}}};
  const CompletionTimes times = completion_times(run);
  EXPECT_EQ(times.messages, 3U);
  EXPECT_EQ(times.total, 11_us);
  EXPECT_EQ(times.mean, 4_us);
  EXPECT_EQ(times.p50, 3_us);
  EXPECT_EQ(times.p99, 7_us);
  EXPECT_EQ(times.most, 7_us);
}

}  // namespace
}  // namespace railyard::collectives
