#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/transcript.hpp"

namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;

/// The stems of tests/apps/golden/*.txt; those of commands that take long begin with "slow_".
std::vector<std::string> golden_files(bool slow) {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(RAILYARD_SOURCE_DIR) / "tests/apps/golden")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".txt" && name.starts_with("slow_") == slow)
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Runs the commands of a file again and compares; with RAILYARD_UPDATE_GOLDEN set, writes what
/// came, but never another exit code than the recorded one (0 for a new command).
void check(const std::string& name) {
  const fs::path file = fs::path(RAILYARD_SOURCE_DIR) / "tests/apps/golden" / (name + ".txt");
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const fs::path folder = fs::path(::testing::TempDir()) / ("railyard_golden_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder / "tmp");
  std::vector<Transcript> again;
  bool ended_well = true;
  for (const Transcript& transcript : read_transcripts(text.str())) {
    again.push_back(run_again(transcript, (folder / "tmp").string()));
    const std::string wrong = wrong_end(again.back(), transcript.exit_code.value_or(0));
    EXPECT_EQ(wrong, "");
    ended_well = ended_well && wrong.empty();
  }
  fs::remove_all(folder);
  if (!ended_well) return;
  ASSERT_FALSE(again.empty()) << file << " has no command";
  const std::string now = write_transcripts(again);
  if (std::getenv("RAILYARD_UPDATE_GOLDEN") != nullptr)
    std::ofstream(file) << now;
  else
    EXPECT_EQ(text.str(), now)
        << "run apps_tests with RAILYARD_UPDATE_GOLDEN=1 and look at the difference";
}

class Golden : public ::testing::TestWithParam<std::string> {};
class SlowGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, TranscriptIsAsBefore) { check(GetParam()); }
TEST_P(SlowGolden, TranscriptIsAsBefore) { check(GetParam()); }

const auto kName = [](const auto& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Commands, Golden, ::testing::ValuesIn(golden_files(false)), kName);
INSTANTIATE_TEST_SUITE_P(Commands, SlowGolden, ::testing::ValuesIn(golden_files(true)), kName);

}  // namespace
}  // namespace railyard::apps::testing
