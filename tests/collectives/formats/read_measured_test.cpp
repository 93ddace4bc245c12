#include "collectives/formats/read_measured.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

TEST(Measured, ReadsATableWithItsHardware) {
  const auto tables = parse_measured("t.json", R"({"datasets": [
      {"id": "one", "collective": "alltoall", "nodes": 2, "gpus_per_node": 8, "gpu": "H100",
       "env": {"NCCL_ALGO": "RING"}, "columns": ["size_B", "time_us_oop", "busbw_GBps_oop"],
       "rows": [[1024, 30.5, 0.1], [2048, 0, 0]]}]})",
                                     std::nullopt);
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_EQ(tables[0].rows.size(), 1u) << "a time of zero is no measurement";
  EXPECT_EQ(tables[0].rows[0].collective.kind, Kind::all_to_all);
  EXPECT_EQ(tables[0].rows[0].ranks, 16);
  EXPECT_EQ(tables[0].rows[0].nodes, 2);
  EXPECT_DOUBLE_EQ(tables[0].rows[0].time_us, 30.5);
  EXPECT_EQ(tables[0].environment.front().second, "RING");
}

TEST(Measured, CurvesOfBusBandwidthBecomeTimes) {
  // 32 GPUs: 2 x 31/32 of 64 MiB at 100 GB/s are 1300.2342 us.
  const auto tables = parse_measured("t.json", R"({"datasets": [
      {"id": "plot", "collective": "all_reduce", "gpus_per_node": 8, "gpu": "H100",
       "columns": ["size_B", "busbw_GBps"],
       "series": [{"n_gpus": 32, "points": [[67108864, 100], [134217728, null]]}]}]})",
                                     std::nullopt);
  ASSERT_EQ(tables[0].rows.size(), 1u);
  EXPECT_NEAR(tables[0].rows[0].time_us, 1300.2342, 1e-3);
  EXPECT_EQ(tables[0].rows[0].nodes, 4);
}

TEST(Measured, ReadsNcclTestsOutputOfTwoHosts) {
  const auto tables = parse_measured("all_reduce.log", R"(# nccl-tests version 2.13.8
#  Rank  0 Group  0 Pid 1 on host1 device  0 [0x07] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 1 on host2 device  0 [0x07] NVIDIA H100 80GB HBM3
#       size         count      type   redop    root     time   algbw   busbw #wrong
        1024           256      half     sum      -1    25.10    0.04    0.04      0
     1048576        262144     float     sum      -1    61.50   17.05   17.05      0
# Out of bounds values : 0 OK
)",
                                     std::nullopt);
  ASSERT_EQ(tables[0].rows.size(), 2u);
  EXPECT_EQ(tables[0].rows[0].collective.type, DataType::float16);
  EXPECT_EQ(tables[0].rows[1].collective.bytes, Bytes(1048576));
  EXPECT_DOUBLE_EQ(tables[0].rows[1].time_us, 61.5);
  EXPECT_EQ(tables[0].rows[1].nodes, 2);
  EXPECT_EQ(tables[0].rows[1].collective.kind, Kind::all_reduce) << "by the name of the file";
  EXPECT_NE(tables[0].hardware.find("NVIDIA H100"), std::string::npos);
}

/// nccl-tests on four GPUs of a host, in a file whose name tells nothing, with rows as given.
MeasuredTable log_of(const std::string& rows, const std::string& before = {}) {
  std::string text = before + "# nccl-tests version 2.17.0\n";
  for (int rank = 0; rank < 4; ++rank)
    text += "#  Rank  " + std::to_string(rank) + " Group  0 Pid 1 on host1 device  0 [0x07] H100\n";
  return parse_measured("run7.log", text + rows, std::nullopt).front();
}

TEST(Measured, TheCollectiveIsReadFromTheLogItself) {
  const char* row = " 4096  1024 float  sum  -1  9.5 0.43 0.43 0\n";
  const auto kind = [](const MeasuredTable& table) { return table.rows.at(0).collective.kind; };
  EXPECT_EQ(kind(log_of(row, "# Collective test starting: reduce_scatter_perf\n")),
            Kind::reduce_scatter);
  EXPECT_EQ(kind(log_of(row, "+ srun ./build/reduce_scatter_perf -b 4K\n")), Kind::reduce_scatter);
}

// 4096 bytes of float are 1024 elements; a count of 256 is the part of one of four ranks.
TEST(Measured, TheCollectiveIsReadFromRowsWhereTheyTell) {
  const auto kind = [](const char* row) { return log_of(row).rows.at(0).collective.kind; };
  EXPECT_EQ(kind(" 4096  1024 float  sum  -1  9.5 0.43 0.43 0\n"), Kind::all_reduce);
  EXPECT_EQ(kind(" 4096   256 float  sum  -1  9.5 0.43 0.43 0\n"), Kind::reduce_scatter);
  EXPECT_EQ(kind(" 4096  1024 float  sum   0  9.5 0.43 0.43 0\n"), Kind::reduce);
  EXPECT_EQ(kind(" 4096  1024 float none   0  9.5 0.43 0.43 0\n"), Kind::broadcast);
  // all_gather and all_to_all print alike.
  const MeasuredTable unknown = log_of(" 4096   256 float none  -1  9.5 0.43 0.43 0\n");
  EXPECT_TRUE(unknown.rows.empty());
  EXPECT_NE(unknown.left_out.find("--collective"), std::string::npos);
}

TEST(Measured, ReadsNcclTestsJsonWithoutTheSecretsOfItsEnvironment) {
  const auto tables =
      parse_measured("x.json", R"({"nccl_version": 22809, "args": "all_gather_perf -b 8",
      "env": {"NCCL_PROTO": "Simple", "API_TOKEN": "secret"},
      "config": {"devices": [{"hostname": "a", "name": "A100"}, {"hostname": "a", "name": "A100"}]},
      "results": [{"size": 4096, "type": "float", "out_of_place": {"time": 12.5}}]})",
                     std::nullopt);
  ASSERT_EQ(tables[0].rows.size(), 1u);
  EXPECT_EQ(tables[0].rows[0].collective.kind, Kind::all_gather);
  EXPECT_EQ(tables[0].rows[0].ranks, 2);
  ASSERT_EQ(tables[0].environment.size(), 1u);
  EXPECT_EQ(tables[0].environment[0].first, "NCCL_PROTO");
}

TEST(Measured, SizesAndTimesMayBeTexts) {
  const auto tables = parse_measured("t.json", R"({"datasets": [
      {"id": "one", "collective": "all_reduce", "n_ranks": 8, "gpu": "H100",
       "columns": ["size", "time_us"],
       "rows": [["1M", 30], ["4096", "12.5"], ["1 MiB", "2 ms"]]}]})",
                                     std::nullopt);
  EXPECT_TRUE(tables[0].unread.empty());
  ASSERT_EQ(tables[0].rows.size(), 3u);
  EXPECT_EQ(tables[0].rows[0].collective.bytes, Bytes(1 << 20));
  EXPECT_EQ(tables[0].rows[1].collective.bytes, Bytes(4096));
  EXPECT_DOUBLE_EQ(tables[0].rows[1].time_us, 12.5);
  EXPECT_EQ(tables[0].rows[2].collective.bytes, Bytes(1 << 20));
  EXPECT_DOUBLE_EQ(tables[0].rows[2].time_us, 2000);
}

// Every row of every format is used, is a hole (null), or is in `unread`.
TEST(Measured, ARowThatCannotBeReadIsNamedWithTheFix) {
  using Texts = std::vector<std::string>;
  const auto tables = parse_measured("t.json", R"({"datasets": [
      {"id": "one", "n_ranks": 8, "gpu": "H100", "columns": ["size", "time_us", "op"],
       "rows": [["1X", 30, "all_reduce"], [1024, "x", "all_reduce"], [1024, 9, "scatter"], 7,
                [1024, null, "all_reduce"], [1024, 9, "all_reduce"], [0, 9, "all_reduce"]]}]})",
                                     std::nullopt);
  EXPECT_EQ(tables[0].rows.size(), 1u);
  EXPECT_EQ(tables[0].unread,
            (Texts{R"(rows/0: '1X' is not a size (write 1048576 or "1M"))",
                   R"(rows/1: 'x' is not a time (write 12.3, in microseconds, or "12.3 us"))",
                   "rows/2: 'scatter' is not a collective", "rows/3: not a list of cells",
                   R"(rows/6: '0' is not a size (write 1048576 or "1M"))"}));
  const Texts notes = unread_notes(tables[0]);
  ASSERT_EQ(notes.size(), 4u);
  EXPECT_EQ(notes.back(), "2 more rows that cannot be read");

  const auto of_json = parse_measured("all_gather.json", R"({"results": [
      {"size": "x", "out_of_place": {"time": 1}}, {"size": 0, "out_of_place": {"time": 0}},
      {"size": "4K", "out_of_place": {"time": 12.5}}]})",
                                      std::nullopt);
  EXPECT_EQ(of_json[0].rows.size(), 1u);
  EXPECT_EQ(of_json[0].unread.size(), 1u);

  const auto own = parse_measured("own.json", R"({"railyard": "0", "rows": [
      {"collective": "all_reduce", "bytes": 8, "time_us": "fast"}]})",
                                  std::nullopt);
  EXPECT_EQ(own[0].left_out, "none of its rows can be read");
  EXPECT_EQ(own[0].unread.size(), 1u);

  const MeasuredTable log = log_of(
      " 4096  1024 float  sum  -1  N/A 0.43 0.43 0\n"
      "    0     0 float  sum  -1  0.1 0.00 0.00 0\n"
      " 4096  1024 float  sum  -1  nan 0.43 0.43 0\n"
      " 8192  2048 float  sum  -1  9.5 0.43 0.43 0\n");
  EXPECT_EQ(log.rows.size(), 1u);
  ASSERT_EQ(log.unread.size(), 2u);
  EXPECT_TRUE(log.unread[0].starts_with("line 6: 'N/A' is not a time")) << log.unread[0];
}

TEST(Measured, SaysWhyATableCannotBeUsed) {
  const auto tables = parse_measured("t.json", R"({"datasets": [
      {"id": "moe", "gpu": "H100", "columns": ["tokens", "dispatch_us"], "rows": [[1, 2]]}]})",
                                     std::nullopt);
  EXPECT_NE(tables[0].left_out.find("no column of sizes"), std::string::npos);
  EXPECT_THROW((void)parse_measured("x.json", "{}", std::nullopt), InputError);
}

}  // namespace
}  // namespace railyard::collectives
