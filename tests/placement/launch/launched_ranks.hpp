#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "placement/launch/launch_program.hpp"
#include "tests/apps/command_result.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement::testing {

/// A folder of a test, removed at its end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "railyard_launch_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Writes an executable file and gives its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const std::string at = file(name);
    std::ofstream(at) << text;
    std::filesystem::permissions(at, std::filesystem::perms::all);
    return at;
  }

 private:
  std::string path_;
};

inline bool has_program(const std::string& name) {
  return apps::testing::run_in_shell("command -v " + name + " > /dev/null 2>&1").code == 0;
}

/// A program that writes what it finds in its environment, a file per rank. Its host is the one
/// that the test's launcher calls itself (SLURMD_NODENAME, NODE_NAME).
inline LaunchProgram reporting_program(const ScratchFolder& folder) {
  return {.name = "railyard-test",
          .command =
              "echo \"$WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT "
              "${SLURMD_NODENAME:-$NODE_NAME} ${CUDA_VISIBLE_DEVICES:-0,1}\" > '" +
              folder.path() + "'/rank$RANK"};
}

/// Checks what each rank of reporting_program() wrote: its host and its GPU are those of the
/// mapping, and everything else is what torch.distributed needs.
inline void expect_every_rank_in_its_place(const JobHosts& hosts, const ScratchFolder& folder) {
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r) {
    std::ifstream file(folder.file("rank" + std::to_string(r)));
    ASSERT_TRUE(file.good()) << "rank " << r << " did not run";
    std::size_t world = 0, local = 0, local_world = 0;
    std::string master, host, devices, gpu;
    int port = 0;
    file >> world >> local >> local_world >> master >> port >> host >> devices;
    EXPECT_EQ(world, hosts.of_rank.size()) << "rank " << r;
    EXPECT_EQ(master, hosts.of_rank.front()) << "rank " << r;
    EXPECT_EQ(port, 29500) << "rank " << r;
    EXPECT_EQ(host, hosts.of_rank[r]) << "rank " << r;
    const auto shares = static_cast<std::size_t>(std::ranges::count(hosts.of_rank, host));
    EXPECT_EQ(local_world, shares) << "rank " << r;
    EXPECT_EQ(local, static_cast<std::size_t>(local_ranks(hosts)[r])) << "rank " << r;
    std::istringstream list(devices);
    for (std::size_t i = 0; i <= local; ++i) std::getline(list, gpu, ',');
    EXPECT_EQ(gpu, std::to_string(hosts.gpu[r])) << "rank " << r << " of " << devices;
  }
}

struct LaunchCase {
  std::string name;
  std::vector<std::size_t> gpus;  ///< of two nodes of two GPUs, by rank
};

inline JobHosts hosts_of_case(const LaunchCase& c) {
  Mapping mapping;
  for (const std::size_t gpu : c.gpus) mapping.gpus.emplace_back(gpu);
  return hosts_of(mapping,
                  topology::testing::small_cluster(topology::testing::leaf_spine(2), 2, 2));
}

/// Mappings in order, with nodes or GPUs swapped, dealt out in turn, and of unequal nodes.
inline std::vector<LaunchCase> launch_cases() {
  return {{"in_order", {0, 1, 2, 3}},
          {"nodes_swapped", {2, 3, 0, 1}},
          {"gpus_swapped", {1, 0, 3, 2}},
          {"one_node_swapped", {0, 1, 3, 2}},
          {"in_turn", {1, 2, 0, 3}},
          {"unequal", {2, 0, 1}},
          {"one_each", {2, 0}}};
}

}  // namespace railyard::placement::testing
