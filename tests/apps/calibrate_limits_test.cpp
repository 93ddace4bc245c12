#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/apps/transcript.hpp"

// What calibrate says of tables that a sound machine cannot have produced.
namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

Transcript run(const std::string& command) {
  const std::string tmp = fs::path(::testing::TempDir()) / "calibrate_limits";
  fs::create_directories(tmp);
  return run_again({.comment = {}, .command = command, .out = {}, .err = {}}, tmp);
}

/// A table of all_gather on two DGX A100 whose times are `factor` times the predicted ones.
void write_table(double factor) {
  const Transcript done =
      run("railyard sim --cluster dgx_a100_hdr200 --nodes 2 --collective all_gather -b 256M -e 16G "
          "--fidelity analytic --csv -");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::istringstream lines(done.out);
  std::string line, rows;
  std::getline(lines, line);  // names
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell, bytes, time;
    for (int column = 1; std::getline(cells, cell, ','); ++column) {
      if (column == 8) bytes = cell;
      if (column == 9) time = cell;
    }
    rows += (rows.empty() ? "[" : ", [") + bytes + ", " + std::to_string(std::stod(time) * factor) +
            "]";
  }
  const fs::path file = fs::path(::testing::TempDir()) / "calibrate_limits" / "table.json";
  std::ofstream(file) << R"({"datasets": [{"id": "t", "collective": "all_gather", "nodes": 2,)"
                      << R"("gpus_per_node": 8, "gpu": "A100", "columns": ["size_B", "time_us"],)"
                      << R"("rows": [)" << rows << "]}]}";
}

Transcript calibrate() {
  return run(
      "railyard calibrate --cluster dgx_a100_hdr200 --from $TMP/table.json -o $TMP/ours.json");
}

TEST(CalibrateLimits, HalfOfTheSpeedIsAFindingWithWhatIsLikelier) {
  write_table(2);
  const Transcript done = calibrate();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("warning: infiniband/efficiency"));
  EXPECT_THAT(done.err, HasSubstr("4 of 8 NICs in use"));
}

TEST(CalibrateLimits, ASoundTableHasNoWarning) {
  write_table(1.01);
  const Transcript done = calibrate();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, Not(HasSubstr("warning")));
}

}  // namespace
}  // namespace railyard::apps::testing
