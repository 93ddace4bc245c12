#include "apps/cli/remaining_time.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace railyard::apps {
namespace {

TEST(RemainingTime, NothingIsDrawnWhereStandardErrorIsNoTerminal) {
  std::ostringstream out, err;
  Context context{.out = out, .err = err, .command = {}};
  RemainingTime remaining(context);
  for (int i = 0; i < 3; ++i) remaining.show({sim::RunProgress::Phase::transfers, 0.5, {}});
  remaining.erase();
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace railyard::apps
