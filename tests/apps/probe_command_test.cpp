#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>

namespace railyard::apps::testing {
namespace {

/// The exit code of a shell command.
int run(const std::string& command) {
  const int status = std::system((command + " > /dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ProbeCommand, WhatItWritesOfThisMachineIsACluster) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "railyard_probe_command";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string railyard = RAILYARD_EXECUTABLE;
  const std::string cluster = (folder / "cluster.json").string();
  // /nowhere has no NVML: ranks are on cores whatever this machine has.
  ASSERT_EQ(
      run(railyard + " probe --libraries /nowhere --memory-rate '10 GB/s' --ranks 2 -o " + cluster),
      0);
  EXPECT_EQ(run(railyard + " topo check " + cluster), 0);
  EXPECT_EQ(run(railyard + " bench --gpus 2 --bytes 64K -n 1 --predict " + cluster), 0);
  EXPECT_EQ(run(railyard + " probe --libraries /nowhere --memory-rate 10 -o " + cluster), 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace railyard::apps::testing
