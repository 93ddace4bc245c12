#include "hw/world/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

using ::testing::HasSubstr;

/// Sets a variable for a test, and what it was behind it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value != nullptr)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Launcher, RanksComeFromTheVariablesOfALauncher) {
  const Variable open_mpi("OMPI_COMM_WORLD_RANK", nullptr), pmi("PMI_RANK", nullptr);
  const Variable slurm("SLURM_PROCID", nullptr), torch("RANK", nullptr);
  EXPECT_FALSE(launched().has_value());
  const Variable rank("RANK", "3");
  const Variable none("WORLD_SIZE", nullptr);
  EXPECT_FALSE(launched().has_value());  // both are needed
  const Variable ranks("WORLD_SIZE", "8");
  ASSERT_TRUE(launched().has_value());
  EXPECT_EQ(launched()->rank, 3);
  EXPECT_EQ(launched()->ranks, 8);
}

TEST(Launcher, AProgramsExitCodeIsReturned) {
  EXPECT_EQ(run_program({"/bin/sh", "-c", "exit 7"}, 3), 7);
  EXPECT_EQ(run_program({"/no/such/program"}, 3), 3);
  EXPECT_THROW((void)run_program({"/bin/sh", "-c", "kill -9 $$"}, 3), BackendError);
}

TEST(Launcher, MpirunIsLookedForInPath) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "railyard_launcher_test";
  std::filesystem::create_directories(folder);
  const auto program = folder / "mpirun";
  std::ofstream(program) << "#!/bin/sh\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  {
    const Variable path("PATH", ("/nowhere:" + folder.string()).c_str());
    const std::vector<std::string> words = mpirun_words(6);
    EXPECT_EQ(words.front(), program.string());
    EXPECT_EQ(words.back(), "6");
  }
  const Variable path("PATH", "/nowhere");
  try {
    (void)mpirun_words(6);
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mpirun is not in PATH"));
  }
}

}  // namespace
}  // namespace railyard::hw
