#include "collectives/nccl/timing/fit/row_limit.hpp"

#include <gtest/gtest.h>

namespace railyard::collectives::nccl {
namespace {

/// A collective of two nodes of eight H100 with a NIC each.
PredictedRow predicted(Kind kind, std::int64_t bytes) {
  MeasuredTable table{.name = "t"};
  table.rows.push_back(
      {.collective = {.kind = kind, .bytes = Bytes(bytes)}, .ranks = 16, .nodes = 2, .time_us = 1});
  Predictions predictions =
      predict_tables({table}, {.map = {}, .cluster = "dgx_h100_ndr400", .harness = {}});
  return std::move(predictions.rows.at(0));
}

// A few bytes take the time of the steps. Of an all-to-all 8 of 16 blocks cross the NICs (50 GB/s)
// and 7 the NVLinks (450 GB/s).
TEST(RowLimit, SmallSizesAreBoundByLatencyAndLargeOnesByTheNetwork) {
  constexpr std::int64_t kLarge = std::int64_t{4} << 30;
  EXPECT_EQ(limit_of(predicted(Kind::all_reduce, 8)), "latency");
  EXPECT_EQ(limit_of(predicted(Kind::all_to_all, kLarge)), "network");
}

}  // namespace
}  // namespace railyard::collectives::nccl
