#include "collectives/nccl/timing/range/range_coverage.hpp"

#include <gtest/gtest.h>

namespace railyard::collectives::nccl {
namespace {

// A class of 10 % that covers every query. Deviations of 9, 9, 20 and 5 % in table a, 30 % in b.
TEST(RangeCoverage, CountsTheRowsInsideTheirRange) {
  const std::vector<RangeClass> classes{{.range_pct = 10}};
  std::vector<RowRange> rows;
  for (const auto& [ratio, dataset] :
       {std::pair(0.91, "a"), {1.09, "a"}, {1.2, "a"}, {0.95, "a"}, {1.3, "b"}})
    rows.push_back(row_range(classes, {}, ratio, dataset));
  EXPECT_EQ(inside_pct(rows), 60);  // 3 of 5
  const auto by_dataset = inside_by_dataset(rows);
  EXPECT_EQ(by_dataset.at("a"), 75);
  EXPECT_EQ(by_dataset.at("b"), 0);
}

TEST(RangeCoverage, LeavesOutRowsThatNoClassCovers) {
  const RowRange row = row_range({}, {}, 1, "a");
  EXPECT_FALSE(row.range_pct);
  EXPECT_FALSE(row.inside);
  EXPECT_FALSE(inside_pct(std::vector{row}));
}

// Two datasets of five sweeps each of 10 and 12 %: the range without a is 12 %, which holds a's 10
// %; the range without b is 10 %, which b's 12 % exceed. Half of the rows are inside.
TEST(RangeCoverage, OfHeldBackDatasetsIsByKind) {
  std::vector<Residual> residuals;
  for (std::size_t i = 0; i < 10; ++i)
    residuals.push_back({.query = {.evidence = Evidence::measured, .bytes = Bytes(1 << 20)},
                         .table = i < 5 ? "a" : "b",
                         .sweep = i,
                         .ratio = i < 5 ? 1.10 : 1.12});
  const auto coverage = held_back_coverage(residuals);
  ASSERT_EQ(coverage.size(), 1U);
  EXPECT_EQ(coverage.front().of, RangeOf::collective);
  EXPECT_EQ(coverage.front().rows, 10U);
  EXPECT_DOUBLE_EQ(coverage.front().inside_pct, 50);
  EXPECT_FALSE(coverage.front().is_near());
}

}  // namespace
}  // namespace railyard::collectives::nccl
