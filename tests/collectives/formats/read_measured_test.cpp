#include "collectives/formats/read_measured.hpp"

#include <gtest/gtest.h>

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

TEST(Measured, SaysWhyATableCannotBeUsed) {
  const auto tables = parse_measured("t.json", R"({"datasets": [
      {"id": "moe", "gpu": "H100", "columns": ["tokens", "dispatch_us"], "rows": [[1, 2]]}]})",
                                     std::nullopt);
  EXPECT_NE(tables[0].left_out.find("no column of sizes"), std::string::npos);
  EXPECT_THROW((void)parse_measured("x.json", "{}", std::nullopt), InputError);
}

}  // namespace
}  // namespace railyard::collectives
