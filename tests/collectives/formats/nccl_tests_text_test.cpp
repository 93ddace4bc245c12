#include "collectives/formats/nccl_tests_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "collectives/formats/read_measured.hpp"
#include "core/config/enum_names.hpp"

namespace railyard::collectives {
namespace {

Measurement row_of(std::int64_t bytes, std::int64_t nanoseconds, bool in_place, double busbw) {
  Measurement row;
  row.bytes = Bytes(bytes);
  row.time = Time::nanoseconds(nanoseconds);
  row.algbw_GBps = static_cast<double>(bytes) / static_cast<double>(nanoseconds);
  row.busbw_GBps = busbw;
  row.live = Measurement::Live{};
  row.live->in_place = in_place;
  return row;
}

NcclTestsHead head_of(const Collective& collective, std::uint32_t ranks) {
  NcclTestsHead head{.command = "railyard bench", .collective = collective, .devices = {}};
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    head.devices.push_back({rank < 2 ? "h0" : "h1", 4711 + rank, "0000:1b:00.0", "sm_90"});
  head.processes = ranks;
  head.least = Bytes(8);
  head.most = Bytes(1 << 20);
  return head;
}

/// The rows of each size together, as they come.
void write_nccl_tests(const NcclTestsHead& head, std::span<const Measurement> rows,
                      std::ostream& out) {
  NcclTestsText text(head, out);
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first + 1;
    while (end < rows.size() && rows[end].bytes == rows[first].bytes) ++end;
    text.add(rows.subspan(first, end - first));
    first = end;
  }
  text.end();
}

// A reader sees the line of a size before the next one runs.
TEST(NcclTestsText, LinesComeOneByOne) {
  std::ostringstream out;
  NcclTestsText text(head_of({.kind = Kind::all_reduce, .bytes = Bytes(8)}, 2), out);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("(us)  (GB/s)  (GB/s)"));
  EXPECT_THAT(out.str(), ::testing::Not(::testing::HasSubstr("9.87")));
  const Measurement first = row_of(8, 9'870, true, 1);
  text.add(std::span(&first, 1));
  EXPECT_THAT(out.str(), ::testing::EndsWith("     9.87    0.00    1.00      0\n"));
  text.end();
  EXPECT_THAT(out.str(), ::testing::HasSubstr("# Avg bus bandwidth    : 1 \n"));
}

TEST(NcclTestsText, LinesAreAsTheFormatsOfCommonCuPrintThem) {
  const NcclTestsHead head =
      head_of({.kind = Kind::all_reduce, .bytes = Bytes(8), .type = DataType::float16}, 3);
  // 1 MiB in 123.456 us is 1048576 / 123456 = 8.49 GB/s.
  std::vector<Measurement> rows{row_of(8, 9'870, false, 0.001), row_of(8, 10'000'000, true, 0.003),
                                row_of(1 << 20, 123'456, false, 11.3251)};
  rows[1].live->wrong = 3;
  std::ostringstream out;
  write_nccl_tests(head, rows, out);
  // "#  Rank %2d Group %2d Pid %6d on %10s device %2d [%s] %s"
  EXPECT_THAT(out.str(),
              ::testing::HasSubstr(
                  "#  Rank  2 Group  0 Pid   4713 on         h1 device  0 [0000:1b:00.0] sm_90\n"));
  EXPECT_THAT(out.str(),
              ::testing::HasSubstr(
                  "#       size         count      type   redop    root     time   algbw   "
                  "busbw #wrong     time   algbw   busbw #wrong\n"));
  // "%12li  %12li  %8s  %6s  %6s" and twice "  %7s  %6.2f  %6.2f  %5s"; %7.2f below 100 us, %7.0f
  // from 10 ms on.
  EXPECT_THAT(out.str(),
              ::testing::HasSubstr(
                  "           8             4      half     sum      -1     9.87    0.00    "
                  "0.00      0    10000    0.00    0.00      3\n"));
  EXPECT_THAT(out.str(),
              ::testing::HasSubstr(
                  "     1048576        524288      half     sum      -1    123.5    8.49   "
                  "11.33      0      N/A     N/A     N/A    N/A\n"));
  EXPECT_THAT(out.str(), ::testing::HasSubstr("# Out of bounds values : 1 FAILED\n"));
  // (0.001 + 0.003 + 11.3251) / 3
  EXPECT_THAT(out.str(), ::testing::HasSubstr("# Avg bus bandwidth    : 3.77637 \n"));
}

TEST(NcclTestsText, WhatIsWrittenIsReadBackForEveryKindTypeAndOperation) {
  for (const auto& [kind, kind_name] : core::EnumNames<Kind>::table) {
    for (const auto& [type, type_name] : core::EnumNames<DataType>::table) {
      for (const auto& [op, op_name] : core::EnumNames<ReduceOp>::table) {
        SCOPED_TRACE(std::string(kind_name) + ' ' + std::string(type_name));
        const Collective collective{.kind = kind, .bytes = {}, .type = type, .op = op, .root = 1};
        const std::vector<Measurement> rows{row_of(4096, 51'250, false, 1),
                                            row_of(4096, 60'000, true, 1),
                                            row_of(1 << 20, 1'234'500, false, 1)};
        std::ostringstream out;
        write_nccl_tests(head_of(collective, 4), rows, out);
        const auto tables = parse_measured("run.txt", out.str(), std::nullopt);
        ASSERT_EQ(tables.size(), 1u);
        ASSERT_EQ(tables[0].rows.size(), 2u) << tables[0].left_out;
        const MeasuredRow& row = tables[0].rows[0];
        EXPECT_EQ(row.collective.kind, kind);
        EXPECT_EQ(row.collective.type, type);
        EXPECT_EQ(row.collective.op,
                  is_reduction(kind) || kind == Kind::send_recv ? op : ReduceOp::sum);
        EXPECT_EQ(row.collective.bytes, Bytes(4096));
        EXPECT_EQ(row.ranks, 4);
        EXPECT_EQ(row.nodes, 2);
        EXPECT_DOUBLE_EQ(row.time_us, 51.25);
        EXPECT_DOUBLE_EQ(tables[0].rows[1].time_us, 1234.5);
        EXPECT_EQ(tables[0].hardware, "gpu: sm_90\n");
      }
    }
  }
}

}  // namespace
}  // namespace railyard::collectives
