#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/apps/csv_rows.hpp"
#include "tests/apps/transcript.hpp"
#include "tests/truth_path.hpp"

// `railyard replay` against what can be known without it: recorded durations, and `railyard sim`.
namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;

/// The rows of a command that prints CSV, each by the names of its columns.
std::vector<CsvRow> rows_of(const std::string& command) {
  const std::string tmp = fs::path(::testing::TempDir()) / "replay_test";
  fs::create_directories(tmp);
  const Transcript done =
      run_again({.comment = {}, .command = command + " --csv -", .out = {}, .err = {}}, tmp);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  std::vector<CsvRow> rows = csv_rows(done.out);
  EXPECT_FALSE(rows.empty()) << command;
  return rows;
}

double total_us(const std::string& command) {
  const auto rows = rows_of("railyard replay " + command);
  return rows.empty() ? -1 : std::stod(rows.front().at("total_us"));
}

TEST(Replay, WithRecordedCollectivesTakesTheRecordedTime) {
  const auto rows = rows_of(
      "railyard replay configs/examples/ddp_rank0.json.gz --cluster dgx_a100_hdr200 --nodes 2 "
      "--recorded");
  ASSERT_FALSE(rows.empty());
  EXPECT_DOUBLE_EQ(std::stod(rows[0].at("total_us")), std::stod(rows[0].at("recorded_us")));
}

TEST(Replay, OfARecordedTrainingIsWithinTwoPercent) {
  const std::string file = railyard::testing::truth_path("traces/kineto/ddp_2xA100_rank0.json.gz");
  if (file.empty()) GTEST_SKIP() << "no ../shared/truth/traces beside this checkout";
  const auto rows =
      rows_of("railyard replay " + file + " --cluster dgx_a100_hdr200 --nodes 1 --recorded");
  ASSERT_FALSE(rows.empty());
  const double recorded = std::stod(rows[0].at("recorded_us"));
  EXPECT_NEAR(std::stod(rows[0].at("total_us")), recorded, 0.02 * recorded);
}

// On a slower network the step is no faster, and on none of both faster than its computation.
TEST(Replay, OfASlowerNetworkTakesLonger) {
  const std::string step = "configs/examples/ddp_rank0.json.gz --nodes 2 --cluster ";
  const double fast = total_us(step + "dgx_h100_ndr400"), slow = total_us(step + "dgx_a100_hdr200");
  EXPECT_GT(fast, 12'580) << "computation of the profile";
  EXPECT_GT(slow, fast);
  EXPECT_GT(total_us(step + "dgx_a100_hdr200 --degrade node0/nic0:0.1"), slow);
}

// Collectives over two nodes of a fabric without contention, in every packet.
TEST(Replay, PacketByPacketIsWithinTwoPercentOfFlow) {
  const std::string step =
      "configs/examples/ddp_rank0.json.gz --cluster dgx_a100_hdr200 --nodes 2 --timing nominal ";
  const double flow = total_us(step), packet = total_us(step + "--fidelity packet");
  EXPECT_NE(packet, flow);
  EXPECT_NEAR(packet, flow, 0.02 * flow);
}

// A job that arrives 3 ms late ends 3 ms later, beside one that shares nothing with it.
TEST(Replay, AJobBeginsWithItsArrival) {
  const std::string file = "configs/examples/pipeline.goal";
  const std::string cluster = " --cluster dgx_a100_hdr200 --nodes 1";
  const double alone = total_us(file + cluster);
  EXPECT_NEAR(total_us(file + cluster + " --job late=" + file + "@3ms"), alone + 3000, 0.1);
}

}  // namespace
}  // namespace railyard::apps::testing
