#include "core/sweep/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;

class TemporaryFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(parent_);
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", parent_.c_str(), 1);
  }
  void TearDown() override {
    if (before_)
      setenv("TMPDIR", before_->c_str(), 1);
    else
      unsetenv("TMPDIR");
    fs::remove_all(parent_);
  }
  fs::path parent_ = fs::path(::testing::TempDir()) / "temporary_folder_test";
  std::optional<std::string> before_{};
};

TEST_F(TemporaryFolderTest, GoesWithItsOwner) {
  fs::path path;
  {
    const TemporaryFolder folder("own-");
    path = folder.path();
    EXPECT_EQ(path.parent_path(), parent_);
    std::ofstream(path / "file") << "text";
    EXPECT_TRUE(fs::exists(path / "file"));
  }
  EXPECT_FALSE(fs::exists(path));
}

// A killed process releases its lock, and leaves the folder with the file.
TEST_F(TemporaryFolderTest, RemovesThoseOfKilledProcesses) {
  const TemporaryFolder alive("own-");
  for (const char* name : {"own-abcdef", "own-abcdefg", "other-abcdef"}) {
    fs::create_directories(parent_ / name / "deep");
    std::ofstream(parent_ / name / "lock");
  }
  fs::create_directories(parent_ / "own-ghijkl");  // being made: it has no lock yet
  const TemporaryFolder second("own-");
  EXPECT_TRUE(fs::exists(alive.path()));
  EXPECT_FALSE(fs::exists(parent_ / "own-abcdef"));
  EXPECT_TRUE(fs::exists(parent_ / "own-abcdefg"));
  EXPECT_TRUE(fs::exists(parent_ / "other-abcdef"));
  EXPECT_TRUE(fs::exists(parent_ / "own-ghijkl"));
}

}  // namespace
}  // namespace railyard::core::sweep
