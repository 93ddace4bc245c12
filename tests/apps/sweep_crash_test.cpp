#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/apps/command_result.hpp"

namespace railyard::apps::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// A sweep of eight packet simulations, and the signals that end the process of one of them.
class SweepCrash : public ::testing::TestWithParam<const char*> {
 protected:
  SweepCrash() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SweepCrash() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string sweep(const std::string& flags) const {
    return "cd " RAILYARD_SOURCE_DIR " && exec " RAILYARD_EXECUTABLE
           " sweep --grid seed=1..8 --db " +
           database_ + flags +
           " -- sim --cluster hgx_h200_roce400 --nodes 4 --collective all_to_all --bytes 64M "
           "--fidelity packet";
  }
  [[nodiscard]] std::string rows() const {
    return RAILYARD_EXECUTABLE " sweep show " + database_ + " --csv - 2>/dev/null";
  }
  /// Ends a child process of a sweep of this many processes once it has its first row.
  [[nodiscard]] Ended run_and_end_one(const std::string& flags) const {
    std::ofstream(folder_ / "script.sh")
        << "(" + sweep(flags) + ") &\n" + "sweep=$!\n" +
               "for i in $(seq 300); do\n"
               "  [ \"$(" +
               rows() +
               " | grep -c all_to_all)\" != 0 ] && break; sleep 0.05\n"
               "done\n"
               "kill -" +
               std::string(GetParam()) +
               " $(pgrep -P $sweep | head -n 1)\n"
               "wait $sweep\n"
               "echo exit code $?\n";
    return run_in_shell("sh " + (folder_ / "script.sh").string() + " 2>&1");
  }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / (std::string("sweep_crash_") + GetParam());
  const std::string database_ = (folder_ / "out.sqlite").string();
};

TEST_P(SweepCrash, OfAPointCostsThatPointOnly) {
  const Ended ran = run_and_end_one(" --threads 2");
  const std::string ended = "the process of this point was killed by signal ";
  EXPECT_THAT(ran.text, HasSubstr(ended));
  EXPECT_THAT(ran.text, HasSubstr("8 points: 8 run now, 0 before; 1 failed"));
  EXPECT_THAT(ran.text, HasSubstr("exit code 1"));
  EXPECT_THAT(run_in_shell(RAILYARD_EXECUTABLE " sweep show " + database_ + " --failed 2>&1").text,
              HasSubstr(ended));
  // Seven rows below a heading.
  EXPECT_EQ(run_in_shell(rows() + " | wc -l").text, "8\n");
  // Once more with --retry: the point runs.
  const Ended again = run_in_shell(sweep(" --retry") + " 2>&1");
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text, HasSubstr("8 points: 1 run now, 7 before; 0 failed"));
}

INSTANTIATE_TEST_SUITE_P(BySignal, SweepCrash, ::testing::Values("SEGV", "KILL"),
                         [](const auto& one) { return std::string(one.param); });

// A sweep that is killed leaves no process behind that holds the lock or goes on.
TEST_P(SweepCrash, OfTheSweepEndsItsProcesses) {
  std::ofstream(folder_ / "script.sh") << "(" + sweep(" --threads 2") + ") &\n" +
                                              "sweep=$!\n"
                                              "for i in $(seq 300); do\n"
                                              "  [ \"$(pgrep -P $sweep | wc -l)\" = 2 ] && break\n"
                                              "  sleep 0.05\n"
                                              "done\n"
                                              "children=$(pgrep -P $sweep)\n"
                                              "echo children: $(echo $children | wc -w)\n"
                                              "kill -" +
                                              std::string(GetParam()) +
                                              " $sweep\n"
                                              "wait $sweep\n"
                                              "sleep 1\n"
                                              "for child in $children; do\n"
                                              "  grep -q 'State:.[^Z]' /proc/$child/status "
                                              "2>/dev/null && echo left\n"
                                              "done\n"
                                              "true\n";
  const Ended ran = run_in_shell("sh " + (folder_ / "script.sh").string() + " 2>&1");
  EXPECT_THAT(ran.text, HasSubstr("children: 2"));
  EXPECT_THAT(ran.text, ::testing::Not(HasSubstr("left")));
  const Ended again = run_in_shell(sweep("") + " 2>&1");
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text, HasSubstr("0 failed"));
}

}  // namespace
}  // namespace railyard::apps::testing
