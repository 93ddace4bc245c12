#include "apps/place/unused_flags.hpp"

#include <gtest/gtest.h>

#include <fstream>
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

/// A queue of two small jobs, one of which is given.
std::string small_queue() {
  const std::string file = ::testing::TempDir() + "small_queue.json";
  std::ofstream(file) << R"({"source": "made up", "jobs": [
    {"name": "one", "job": "llama3_8b", "gpus": 16, "batch": 16},
    {"name": "two", "job": "llama3_8b", "gpus": 32, "batch": 32,
     "fix": "tp=2,zero=1,recompute=full"}]})";
  return file;
}

/// `place` in every way, with a small model: short searches, few simulations.
const std::vector<Mode>& modes() {
  static const std::string one_type = "--cluster dgx_h100_ndr400 --job llama3_8b --batch 32 ",
                           several = "--cluster clos_baidu_mixed --job llama3_8b --batch 32 ",
                           fix = "--fix tp=2,zero=1,recompute=full ";
  static const std::vector<Mode> all{
      {"search", one_type + "--nodes 2 --verify 0"},
      {"several types", several + "--nodes 2 --verify 0"},
      {"fixed", one_type + fix + "--nodes 2"},
      {"fixed on several types", several + fix + "--nodes 4"},
      {"running", one_type + fix + "--nodes 4 --lost 3"},
      {"running on several types", several + fix + "--nodes 4 --lost 3"},
      {"queue", "--cluster clos_baidu_roce --nodes 8 --queue " + small_queue()}};
  return all;
}

/// Arguments without a flag and its value.
std::string without(std::string arguments, const std::string& flag) {
  const std::size_t at = arguments.find(flag + " ");
  if (at == std::string::npos) return arguments;
  const std::size_t end = arguments.find(' ', at + flag.size() + 1);
  arguments.erase(at, end == std::string::npos ? end : end - at);
  return arguments;
}

Ended place(const std::string& arguments) {
  std::string command = "cd " RAILYARD_SOURCE_DIR " && " RAILYARD_EXECUTABLE;
  command.append(" place ").append(arguments).append(" 2>&1");
  return run_in_shell(command);
}

/// A flag as it is tried, and what else has to be given for it to count.
struct Tried {
  std::string flag;
  std::string beside{};
  std::string unchanged_in{};  ///< a mode that uses it, but whose small case comes out the same
};

/// Each changes the answer, or is refused by its name. Where what it needs is refused itself, it
/// cannot be given.
class FlagWalk : public ::testing::TestWithParam<Tried> {};

TEST_P(FlagWalk, AFlagIsUsedOrRefusedInEveryMode) {
  static std::map<std::string, Ended> plain_of;
  const auto& [flag, beside, unchanged_in] = GetParam();
  const std::string name = flag.substr(0, flag.find(' '));
  for (const Mode& mode : modes()) {
    std::string base = mode.arguments + " " + beside;
    auto [plain, is_new] = plain_of.try_emplace(base);
    if (is_new) plain->second = place(base);
    if (mode.name == unchanged_in || (!beside.empty() && plain->second.code == 2)) continue;
    for (const char* other : {"--ranks", "--gpus"})
      if (name == "--ranks" || name == "--gpus") base = without(base, other);
    const Ended with = place(without(base, name) + " " + flag);
    const bool refused = with.code == 2 && with.text.find(name) != std::string::npos;
    EXPECT_TRUE(refused || with.text != plain->second.text) << mode.name << " " << flag << ":\n"
                                                            << with.text;
  }
}

const std::string kDays = "--objective days --tokens 1e12";
const std::string kEnergy = "--objective energy --tokens 1e12";

INSTANTIATE_TEST_SUITE_P(
    Flags, FlagWalk,
    ::testing::Values(
        Tried{"--cluster dgx_a100_hdr200"}, Tried{"--nodes 3"}, Tried{"--gpus 8"},
        Tried{"--ranks 0-7"}, Tried{"--job gpt3_175b"}, Tried{"--queue nosuch"},
        Tried{"--batch 64"}, Tried{"--max-batch 64"}, Tried{"--wide"}, Tried{"--timeline"},
        Tried{"--timeline", "--json -"}, Tried{"--fix tp=4,zero=1"},
        Tried{"--from-megatron '--tensor-model-parallel-size 2'"}, Tried{"--top 2"},
        Tried{"--verify 2", "", "queue"}, Tried{"--fidelity x"}, Tried{"--no-overlap"},
        // Offloading pays only where memory is short.
        Tried{"--offload", "--memory 12GiB"}, Tried{"--also nosuch"},
        Tried{"--gemm-table nosuch.csv"}, Tried{"--gemm-table A=nosuch.csv"},
        Tried{"--memory 10GiB"}, Tried{"--order dp-tp-cp-pp"}, Tried{"--mapping"},
        Tried{"--occupied 0"}, Tried{"--lost 0,1"}, Tried{"--added 1"}, Tried{"--restart 5min"},
        Tried{"--objective days"}, Tried{"--tokens 1e12", "--objective days"},
        Tried{"--price 2", kDays}, Tried{"--gpu-power 500", kDays},
        Tried{"--idle-power 50", kEnergy}, Tried{"--host-power 100", kEnergy},
        Tried{"--pue 1.5", kEnergy}, Tried{"--max-days 0.01", kDays},
        Tried{"--routing ecmp", "", "queue"}, Tried{"--qps 2", "", "queue"},
        Tried{"--fail node0/nic0"}, Tried{"--degrade node0/nic0:0.5"}, Tried{"--emit ranks"},
        Tried{"--hosts nosuch"}, Tried{"--cores 8"}, Tried{"--command run"}, Tried{"--json -"},
        Tried{"--csv -"}, Tried{"--trace -"}, Tried{"--whole-step"},
        // Writes a file; what it prints is the same.
        Tried{"--workload nosuchfolder/step.json"}),
    [](const auto& tried) {
      std::string name =
          std::to_string(tried.index) + tried.param.flag.substr(1, tried.param.flag.find(' ') - 1);
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace railyard::apps::testing
