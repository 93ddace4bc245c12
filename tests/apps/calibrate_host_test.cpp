#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "apps/calibrate/host_times.hpp"
#include "tests/apps/command_result.hpp"
#include "topology/cluster/cluster.hpp"

// `railyard calibrate` of ranks on cores, on a file of a bench whose times are known.
namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class HostCalibration : public ::testing::Test {
 protected:
  HostCalibration()
      : folder_(fs::path(::testing::TempDir()) /
                (std::string("railyard_host_fit_") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~HostCalibration() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] static Ended run(const std::string& arguments) {
    return run_in_shell("env -u RANK -u WORLD_SIZE " + std::string(RAILYARD_EXECUTABLE) + ' ' +
                        arguments + " 2>&1");
  }
  /// Four ranks on cores that move 10 GB/s together; one node.
  void write_host() const {
    const Ended ended =
        run("probe --libraries /nowhere --ranks 4 --memory-rate '10 GB/s' -o " + path("host.json"));
    ASSERT_EQ(ended.code, 0) << ended.text;
  }
  /// All-reduces by ring of four ranks: 6 steps, each of a quarter of the bytes.
  ///   t = launch + 6 (step + bytes / 4 / rate)      docs/models/probe.md
  void write_rows(const std::string& name, double launch_us, double step_us,
                  double bytes_per_us) const {
    std::ofstream out(path(name));
    out << R"({"railyard": "0.1.0", "kind": "bench", "provenance": {}, "rows": [)";
    for (std::int64_t bytes = 1024; bytes <= 16 << 20; bytes *= 4) {
      const double time = launch_us + 6 * (step_us + static_cast<double>(bytes) / 4 / bytes_per_us);
      out << fmt::format(
          R"({}{{"collective":"all_reduce","algorithm":"ring","protocol":"simple","channels":1,)"
          R"("backend":"mpi","ranks":4,"nodes":1,"bytes":{},"time_us":{},"p50_us":{}}})",
          bytes == 1024 ? "" : ",", bytes, 3 * time, time);
    }
    out << "]}";
  }
  /// host.json fitted to bench.json: ours.json.
  [[nodiscard]] Ended calibrate() const {
    return run("calibrate --cluster " + path("host.json") + " --from " + path("bench.json") +
               " -o " + path("ours.json"));
  }
  /// launch + 6 step of ours.json.
  [[nodiscard]] double fixed_us() const {
    const topology::StepOverheads simple =
        topology::read_cluster(path("ours.json")).overheads.simple;
    return simple.launch.microseconds() + 6 * simple.pcie.microseconds();
  }

 private:
  fs::path folder_;
};

TEST_F(HostCalibration, FindsWhatTheTimesWereMadeWith) {
  write_host();
  // A rank moves 2 GB/s = 2000 bytes a microsecond.
  write_rows("bench.json", 30, 4, 2000);
  const Ended ended = calibrate();
  ASSERT_EQ(ended.code, 0) << ended.text;
  EXPECT_THAT(ended.text, HasSubstr("of ranks on CPU cores fitted to 8 rows of 1 table: "));
  EXPECT_EQ(run("topo check " + path("ours.json")).code, 0);
  // Small sizes determine launch + 6 step = 54 us, not each of them; large ones the rate.
  const hw::HostCluster fitted(path("ours.json"));
  const auto& parameters = fitted.parameters();
  const auto rate =
      std::ranges::find(parameters, hw::HostParameter::What::rate, &hw::HostParameter::what);
  ASSERT_NE(rate, parameters.end());
  EXPECT_NEAR(rate->start, 16, 0.4);
  EXPECT_NEAR(fixed_us(), 54, 1);
  // The new file predicts what was measured.
  SimulatedHostTimes times(fitted);
  std::vector<double> x;
  for (const hw::HostParameter& parameter : fitted.parameters()) x.push_back(parameter.start);
  const double time =
      times(x, {.collective = {.kind = collectives::Kind::all_reduce, .bytes = Bytes(1 << 20)},
                .ranks = 4,
                .algorithm = "ring",
                .channels = 1,
                .over_mpi = true});
  EXPECT_NEAR(time, 54 + 6.0 * (1 << 18) / 2000, 20);
}

TEST_F(HostCalibration, FindsLatenciesFarFromWhereItBegan) {
  write_host();
  // Launch and step begin at NCCL's on PCIe, 8.4 us and 5.7 us; here 0.6 + 6 * 0.15 = 1.5 us.
  write_rows("bench.json", 0.6, 0.15, 2000);
  const Ended ended = calibrate();
  ASSERT_EQ(ended.code, 0) << ended.text;
  EXPECT_NEAR(fixed_us(), 1.5, 0.05);
}

TEST_F(HostCalibration, RowsOfOtherRanksAndTablesWithoutSchedulesAreLeftOut) {
  write_host();
  std::ofstream(path("native.json"))
      << R"({"railyard": "0.1.0", "kind": "bench", "provenance": {}, "rows": [)"
      << R"({"collective":"all_reduce","algorithm":"native","ranks":4,"nodes":1,"bytes":4096,)"
         R"("time_us":9},)"
      << R"({"collective":"all_reduce","algorithm":"ring","ranks":9,"nodes":1,"bytes":4096,)"
         R"("time_us":9},)"
      << R"({"collective":"all_reduce","algorithm":"ring","ranks":4,"nodes":2,"bytes":4096,)"
         R"("time_us":9}]})";
  const std::string flags = "calibrate --cluster " + path("host.json") + " -o " + path("ours.json");
  const Ended none = run(flags + " --from " + path("native.json"));
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.text, HasSubstr("contains no row that can be used for the fit"));
  write_rows("bench.json", 30, 4, 2000);
  const Ended some = run(flags + " --from " + path("bench.json") + ' ' + path("native.json"));
  EXPECT_EQ(some.code, 0) << some.text;
  EXPECT_THAT(some.text, HasSubstr("native.json: contains no algorithm"));
  EXPECT_THAT(some.text, HasSubstr("native.json: has 9 ranks, but the cluster has 4"));
  EXPECT_THAT(some.text, HasSubstr("has 4 ranks on 2 hosts, but the cluster has them on 1"));
  EXPECT_EQ(run(flags + " --from-scratch --from " + path("bench.json")).code, 2);
}

}  // namespace
}  // namespace railyard::apps::testing
