#include "apps/place/unused_flags.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/apps/command_result.hpp"

namespace railyard::apps::testing {
namespace {

struct Mode {
  const char* name;
  std::string arguments;
};

/// `place` with a model of few layers' cost: small searches, without simulation.
const std::vector<Mode>& modes() {
  static const std::vector<Mode> all{
      {"search", "--cluster dgx_h100_ndr400 --nodes 2 --job llama3_8b --batch 16 --verify 0"},
      {"several types",
       "--cluster clos_baidu_mixed --ranks 0-7,512-519 --job llama3_8b --batch 8 --verify 0"},
      {"fixed",
       "--cluster dgx_h100_ndr400 --nodes 2 --job llama3_8b --batch 8 --fix "
       "tp=2,zero=1,recompute=full"},
      {"running",
       "--cluster dgx_h100_ndr400 --nodes 4 --job llama3_8b --fix tp=2,zero=1,recompute=full "
       "--lost 3"},
      {"queue",
       "--cluster clos_baidu_roce --nodes 8 --queue configs/examples/queue_of_three.json"}};
  return all;
}

Ended place(const std::string& arguments) {
  std::string command = "cd " RAILYARD_SOURCE_DIR " && " RAILYARD_EXECUTABLE;
  command.append(" place ").append(arguments).append(" 2>&1");
  return run_in_shell(command);
}

/// Each changes the answer, or is refused by its name.
class FlagWalk : public ::testing::TestWithParam<std::string> {};

TEST_P(FlagWalk, AFlagIsUsedOrRefusedInEveryMode) {
  static std::map<std::string, std::string> without;
  const std::string flag = GetParam(), name = flag.substr(0, flag.find(' '));
  // Offloading pays only where memory is short.
  const std::string beside = flag == "--offload" ? " --memory 20GiB" : "";
  for (const Mode& mode : modes()) {
    auto [plain, is_new] = without.try_emplace(mode.name + beside);
    if (is_new) plain->second = place(mode.arguments + beside).text;
    const Ended with = place(mode.arguments + beside + " " + flag);
    const bool refused = with.code == 2 && with.text.find(name) != std::string::npos;
    EXPECT_TRUE(refused || with.text != plain->second) << mode.name << " " << flag << ":\n"
                                                       << with.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Flags, FlagWalk,
                         ::testing::Values("--also nosuch", "--max-batch 32", "--offload",
                                           "--no-overlap", "--gemm-table nosuch.csv",
                                           "--from-megatron '--tensor-model-parallel-size 2'",
                                           "--hosts nosuch", "--cores 8", "--command run",
                                           "--memory 10GiB", "--order dp-tp-cp-pp", "--fidelity x",
                                           "--wide", "--restart 5min"),
                         [](const auto& flag) {
                           std::string name = flag.param.substr(2, flag.param.find(' ') - 2);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace railyard::apps::testing
