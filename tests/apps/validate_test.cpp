#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "apps/validate/class_fit.hpp"
#include "apps/validate/errors.hpp"
#include "apps/validate/measured.hpp"
#include "apps/validate/predicted.hpp"
#include "apps/validate/validation_rows.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;

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
  EXPECT_EQ(tables[0].rows[0].collective.type, collectives::DataType::float16);
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

TEST(Errors, SummaryOfFourErrors) {
  // |e|: 1 2 5 10; median 3.5, mean 4.5; signed -10 -1 2 5: median 0.5.
  const ErrorSummary summary = summarise({5, -10, 2, -1});
  EXPECT_DOUBLE_EQ(summary.median_abs, 3.5);
  EXPECT_DOUBLE_EQ(summary.mean_abs, 4.5);
  EXPECT_DOUBLE_EQ(summary.bias, 0.5);
}

Judged judged_text(const std::string& text) {
  return judge(parse_measured("t.json", text, std::nullopt), {.map = read_system_map("public")});
}

TEST(Judge, TheHardwareLineDecidesTheCluster) {
  const Judged judged = judged_text(R"({"datasets": [
      {"id": "efa", "collective": "all_reduce", "nodes": 2, "gpus_per_node": 8, "gpu": "H100 80GB",
       "inter": "32x100 Gb/s EFA", "columns": ["size_B", "time_us"], "rows": [[1048576, 100]]},
      {"id": "rack", "collective": "all_reduce", "nodes": 18, "gpus_per_node": 4, "gpu": "GB200",
       "columns": ["size_B", "time_us"], "rows": [[1048576, 100]]},
      {"id": "tpu", "collective": "all_reduce", "nodes": 1, "gpus_per_node": 4, "gpu": "TPU",
       "columns": ["size_B", "time_us"], "rows": [[1048576, 100]]}]})");
  ASSERT_EQ(judged.tables.size(), 2u);
  EXPECT_EQ(judged.tables[0].cluster, "aws_p5_efa");
  EXPECT_EQ(judged.tables[1].cluster, "gb200_nvl72");
  EXPECT_EQ(judged.rows[1].machine->nodes, 1) << "72 GPUs of 18 hosts are one NVLink domain";
  ASSERT_EQ(judged.left_out.size(), 1u);
}

/// Times of the model itself with one parameter changed: the fit must find it.
TEST(ClassFit, FindsTheLinkEfficiencyThatTheTimesWereMadeWith) {
  Judged judged = judged_text(R"({"datasets": [
      {"id": "a", "collective": "all_reduce", "nodes": 1, "gpus_per_node": 8, "gpu": "A100",
       "columns": ["size_B", "time_us"],
       "rows": [[67108864, 1], [268435456, 1], [1073741824, 1], [4294967296, 1],
                [17179869184, 1]]}]})");
  ASSERT_EQ(judged.rows.size(), 5u);
  const double before = judged.rows[0].machine->gpu.link_efficiency;
  for (JudgedRow& row : judged.rows) {
    auto machine = *row.machine;
    machine.gpu.link_efficiency = 0.8 * before;
    row.measured.time_us = row.overhead_us + collective_time(machine, row.query).total();
  }
  const auto parameters = fit_classes(judged, {});
  const FittedPrediction prediction(judged, parameters);
  for (const JudgedRow& row : judged.rows) EXPECT_NEAR(prediction.error_pct(row), 0, 1.0);
  for (const ClassParameter& fitted : parameters) {
    if (fitted.parameter->name == "nvls_efficiency") {
      EXPECT_FALSE(fitted.identified) << "A100 have no NVLS: nothing can be said of it";
      EXPECT_DOUBLE_EQ(fitted.value, fitted.start);
    }
  }
}

/// The targets of docs/models/nccl_time.md on the public tables.
TEST(PublicTables, AreWithinTheirTargets) {
  const auto file =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / ".." / "shared" / "truth" / "collectives.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no measured tables beside the source tree";
  const Judged judged = judge(read_measured(file.string()), {.map = read_system_map("public")});
  const auto errors = table_errors(judged, row_errors(judged, {}));
  EXPECT_GT(judged.tables.size(), 40u);
  EXPECT_LT(errors.back().above_1m.median_abs, 10);
  EXPECT_LT(errors.back().below_1m.median_abs, 25);
  EXPECT_LT(std::fabs(errors.back().all.bias), 5);
}

}  // namespace
}  // namespace railyard::apps
