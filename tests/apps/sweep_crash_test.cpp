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

// A signal from outside stands for a crash: the thread that takes it is in a point.
TEST(SweepCrash, OfAPointIsRecordedAndTheSweepGoesOn) {
  const fs::path folder = fs::path(::testing::TempDir()) / "sweep_crash_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string database = (folder / "out.sqlite").string();
  const std::string command =
      RAILYARD_EXECUTABLE " sweep --threads 1 --grid seed=1..8 --db " + database;
  const std::string swept =
      " -- sim --cluster hgx_h200_roce400 --nodes 4 --collective all_to_all --bytes 64M --fidelity "
      "packet";
  const std::string rows =
      RAILYARD_EXECUTABLE " sweep show " + database + " --csv - 2>/dev/null | grep -c all_to_all";
  std::ofstream(folder / "script.sh") << "cd " RAILYARD_SOURCE_DIR "\n" + command + swept +
                                             " &\n"
                                             "sweep=$!\n"
                                             // Until the first point is in the database.
                                             "for i in $(seq 300); do\n"
                                             "  [ \"$(" +
                                             rows +
                                             ")\" != 0 ] && break; sleep 0.05\n"
                                             "done\n"
                                             "kill -SEGV $sweep\n"
                                             "wait $sweep\n"
                                             "echo exit code $?\n";
  const Ended ran = run_in_shell("sh " + (folder / "script.sh").string() + " 2>&1");
  EXPECT_THAT(ran.text, HasSubstr("a point crashed by signal 11"));
  EXPECT_THAT(ran.text, HasSubstr("8 points: "));
  EXPECT_THAT(ran.text, HasSubstr("; 1 failed"));
  EXPECT_THAT(ran.text, HasSubstr("exit code 1"));
  const Ended failed =
      run_in_shell(RAILYARD_EXECUTABLE " sweep show " + database + " --failed 2>&1");
  EXPECT_THAT(failed.text, HasSubstr("the process crashed in this point: signal 11"));
  EXPECT_FALSE(fs::exists(database + ".crashes"));
  // Once more with --retry: the point runs.
  const Ended again =
      run_in_shell("cd " RAILYARD_SOURCE_DIR " && " + command + " --retry" + swept + " 2>&1");
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text, HasSubstr("8 points: 1 run now, 7 before; 0 failed"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace railyard::apps::testing
