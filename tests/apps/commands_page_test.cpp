#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/apps/transcript.hpp"

namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;

/// What sets up a machine is for script/demo and script/test to prove.
bool is_set_up(const std::string& command) {
  return command.starts_with("git clone") || command.starts_with("cd ") ||
         command.starts_with("script/") || command.starts_with("export PATH");
}

/// The page with what its examples print now: in ```console blocks, lines after "$ command" (which
/// goes on where a line ends with a backslash). `prefix` goes before each command.
std::string with_fresh_output(const std::string& page, const std::string& prefix,
                              const std::string& tmp) {
  std::istringstream lines(page);
  std::string fresh;
  bool in_console = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.starts_with("```");
    if (is_fence) in_console = line == "```console";
    const bool is_command = in_console && line.starts_with("$ ");
    if (!in_console || is_fence || is_command) fresh += line + '\n';
    if (!is_command) continue;
    std::string command = line.substr(2);
    while (line.ends_with('\\') && std::getline(lines, line)) {
      fresh += line + '\n';
      command += '\n' + line;
    }
    if (is_set_up(command)) continue;
    const Transcript done =
        run_again({.comment = {}, .command = prefix + command, .out = {}, .err = {}}, tmp);
    EXPECT_EQ(done.exit_code, 0) << command << '\n' << done.err;
    fresh += done.out + done.err;
  }
  return fresh;
}

/// Runs the examples of a page of the source tree; with `apart`, in a folder where only configs/
/// lies.
void check_page(const std::string& name, bool apart) {
  const fs::path file = fs::path(RAILYARD_SOURCE_DIR) / name;
  std::ostringstream page;
  page << std::ifstream(file).rdbuf();
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("railyard_page_" + file.stem().string());
  fs::remove_all(folder);
  fs::create_directories(folder / "tmp");
  if (apart)
    fs::create_directory_symlink(fs::path(RAILYARD_SOURCE_DIR) / "configs", folder / "tmp/configs");
  const std::string fresh =
      with_fresh_output(page.str(), apart ? "cd \"$TMP\"\n" : "", (folder / "tmp").string());
  fs::remove_all(folder);
  if (std::getenv("RAILYARD_UPDATE_GOLDEN") != nullptr)
    std::ofstream(file) << fresh;
  else
    EXPECT_EQ(page.str(), fresh) << "run apps_tests with RAILYARD_UPDATE_GOLDEN=1";
}

TEST(CommandsPage, ItsExamplesPrintWhatItShows) { check_page("docs/COMMANDS.md", false); }

TEST(Readme, ItsExamplesPrintWhatItShows) { check_page("README.md", true); }

}  // namespace
}  // namespace railyard::apps::testing
