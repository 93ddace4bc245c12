#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/apps/transcript.hpp"

namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;

/// The page with what its examples print now: in ```console blocks, lines after "$ command".
std::string with_fresh_output(const std::string& page, const std::string& tmp) {
  std::istringstream lines(page);
  std::string fresh;
  bool in_console = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.starts_with("```");
    if (is_fence) in_console = line == "```console";
    const bool is_command = in_console && line.starts_with("$ ");
    if (!in_console || is_fence || is_command) fresh += line + '\n';
    if (!is_command) continue;
    const Transcript done =
        run_again({.comment = {}, .command = line.substr(2), .out = {}, .err = {}}, tmp);
    EXPECT_EQ(done.exit_code, 0) << line;
    fresh += done.out + done.err;
  }
  return fresh;
}

TEST(CommandsPage, ItsExamplesPrintWhatItShows) {
  const fs::path file = fs::path(RAILYARD_SOURCE_DIR) / "docs/COMMANDS.md";
  std::ostringstream page;
  page << std::ifstream(file).rdbuf();
  const fs::path folder = fs::path(::testing::TempDir()) / "railyard_commands_page";
  fs::create_directories(folder / "tmp");
  const std::string fresh = with_fresh_output(page.str(), (folder / "tmp").string());
  fs::remove_all(folder);
  if (std::getenv("RAILYARD_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << fresh;
  else EXPECT_EQ(page.str(), fresh) << "run apps_tests with RAILYARD_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace railyard::apps::testing
