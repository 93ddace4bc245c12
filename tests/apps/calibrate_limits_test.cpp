#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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

/// What a table states, and what it was taken on.
struct Table {
  double factor = 1;  ///< its times over the predicted ones
  std::string collective = "all_gather";
  int nodes = 2;       ///< as the table states
  int true_nodes = 2;  ///< of the prediction
};

/// Writes a table of DGX A100.
void write_table(const Table& table) {
  const Transcript done =
      run("railyard sim --cluster dgx_a100_hdr200 --nodes " + std::to_string(table.true_nodes) +
          " --collective " + table.collective + " -b 256M -e 16G --fidelity analytic --csv -");
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
    rows += (rows.empty() ? "[" : ", [") + bytes + ", " +
            std::to_string(std::stod(time) * table.factor) + "]";
  }
  const fs::path file = fs::path(::testing::TempDir()) / "calibrate_limits" / "table.json";
  std::ofstream(file) << R"({"datasets": [{"id": "t", "collective": ")" << table.collective
                      << R"(", "nodes": )" << table.nodes
                      << R"(, "gpus_per_node": 8, "gpu": "A100", "columns": ["size_B", "time_us"],)"
                      << R"("rows": [)" << rows << "]}]}";
}

Transcript calibrate() {
  fs::remove(fs::path(::testing::TempDir()) / "calibrate_limits" / "ours.json");
  return run(
      "railyard calibrate --cluster dgx_a100_hdr200 --from $TMP/table.json -o $TMP/ours.json --csv "
      "-");
}

/// Whether a calibrated cluster was written.
bool is_written() {
  return fs::exists(fs::path(::testing::TempDir()) / "calibrate_limits" / "ours.json");
}

/// The columns `parameter` and `after` of a calibration in CSV.
std::map<std::string, double> fitted(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::map<std::string, double> values;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (row.size() > 3) values[row[0] + "/" + row[1]] = std::stod(row[3]);
  }
  return values;
}

/// "median error 6.0 % before, 5.1 % after".
std::pair<double, double> errors(const std::string& text) {
  std::smatch found;
  if (!std::regex_search(text, found,
                         std::regex("median error ([0-9.]+) % before, ([0-9.]+) % after")))
    return {-1, -1};
  return {std::stod(found[1]), std::stod(found[2])};
}

TEST(CalibrateLimits, HalfOfTheSpeedIsAFindingWithWhatIsLikelier) {
  write_table({.factor = 2});
  const Transcript done = calibrate();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("warning: the fitted infiniband/efficiency"));
  EXPECT_THAT(done.err, HasSubstr("4 of 8 NICs in use"));
}

TEST(CalibrateLimits, ASoundTableHasNoWarning) {
  write_table({.factor = 1.01});
  const Transcript done = calibrate();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, Not(HasSubstr("warning")));
}

// Times of four nodes in a table of two: of an all-to-all 24 of 32 parts leave a node instead of 8
// of 16, which takes 1.5 times as long.
TEST(CalibrateLimits, AnotherNumberOfNodesIsAFinding) {
  write_table({.collective = "all_to_all", .nodes = 2, .true_nodes = 4});
  const Transcript done = calibrate();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("warning: the fitted infiniband/efficiency"));
  EXPECT_THAT(done.err, HasSubstr("another number of nodes"));
}

// Tables that are faster than predicted, the first ones than links allow: nothing is written, or no
// part of a link exceeds 1. Whatever the table, a file that is written predicts it at least as well
// as the shipped one.
TEST(CalibrateLimits, NoLinkIsFittedAboveWhatItCarriesAndNoTableIsPredictedWorse) {
  int written = 0;
  for (const double factor : {0.5, 0.8, 0.98, 1.0, 1.1, 1.5, 3.0}) {
    write_table({.factor = factor});
    const Transcript done = calibrate();
    if (!is_written()) {
      EXPECT_NE(done.exit_code, 0) << factor;
      continue;
    }
    ++written;
    const auto [before, after] = errors(done.err);
    EXPECT_GE(after, 0) << done.err;
    EXPECT_LE(after, before) << factor;
    const auto values = fitted(done.out);
    EXPECT_FALSE(values.empty());
    for (const auto& [name, value] : values) {
      if (name.ends_with("/efficiency") || name.ends_with("/link_efficiency")) {
        EXPECT_LE(value, 1) << name;
      }
    }
  }
  EXPECT_GE(written, 3);
}

}  // namespace
}  // namespace railyard::apps::testing
