#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/apps/transcript.hpp"

namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;

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
  const Page fresh = run_page(page.str(), apart ? "cd \"$TMP\"\n" : "", (folder / "tmp").string());
  fs::remove_all(folder);
  for (const std::string& problem : fresh.problems) ADD_FAILURE() << problem;
  if (!fresh.problems.empty()) return;
  if (std::getenv("RAILYARD_UPDATE_GOLDEN") != nullptr)
    std::ofstream(file) << fresh.text;
  else
    EXPECT_EQ(page.str(), fresh.text) << "run apps_tests with RAILYARD_UPDATE_GOLDEN=1";
}

TEST(CommandsPage, ItsExamplesPrintWhatItShows) { check_page("docs/COMMANDS.md", false); }

TEST(Readme, ItsExamplesPrintWhatItShows) { check_page("README.md", true); }

}  // namespace
}  // namespace railyard::apps::testing
