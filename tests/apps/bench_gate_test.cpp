#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "collectives/formats/read_measured.hpp"
#include "tests/apps/command_result.hpp"

// What `railyard bench` says, and exits with, as a health check: --min-busbw, --matrix, and the
// table of nccl-tests.
namespace railyard::apps::testing {
namespace {

using ::testing::HasSubstr;

/// `end` is what follows the flags: "2>&1", "2>/dev/null".
Ended bench(const std::string& flags, const std::string& end = "2>&1") {
  const std::string command = std::string(RAILYARD_EXECUTABLE) + " bench " + flags + " " + end;
  return run_in_shell(command);
}

TEST(BenchGate, ABandwidthThatNoMachineHasIsAFinding) {
  const Ended ended = bench("--gpus 2 --bytes 64K -n 2 --min-busbw '1000000 GB/s'");
  EXPECT_EQ(ended.code, 1) << ended.text;
  EXPECT_THAT(ended.text, ::testing::ContainsRegex("error: the best busbw is [0-9.e+-]+ GB/s \\(at "
                                                   "65536 bytes\\), less than 1e\\+06 GB/s"));
}

TEST(BenchGate, ABandwidthThatEveryMachineHasIsNone) {
  const Ended ended = bench("--gpus 2 --bytes 64K -n 2 --min-busbw '1 Kb/s'");
  EXPECT_EQ(ended.code, 0) << ended.text;
  EXPECT_EQ(bench("--gpus 2 --bytes 64K --min-busbw fast").code, 2);
}

TEST(BenchMatrix, HasARowPerPairAndItsExitCodeSaysWhetherOneIsSlow) {
  for (const std::string alone : {"", " --alone"}) {
    const Ended ended = bench("--gpus 3 --bytes 1M -n 3 --matrix --csv -" + alone);
    // Whether a pair of threads is slow is up to the machine; that both agree is not.
    const bool is_slow = ended.text.find("error: slow: rank ") != std::string::npos;
    EXPECT_EQ(ended.code, is_slow ? 1 : 0) << ended.text;
    for (const char* pair : {"\n0,1,", "\n0,2,", "\n1,0,", "\n1,2,", "\n2,0,", "\n2,1,"})
      EXPECT_THAT(ended.text, HasSubstr(pair));
  }
  EXPECT_EQ(bench("--gpus 3 --alone").code, 2);
}

// Lines of nccl-tests come while later sizes run. Ctrl-C after the first one keeps the sizes that
// are finished, in the result file too. The last sizes take seconds, the first microseconds.
TEST(BenchFormat, CtrlCKeepsWhatIsFinished) {
  const std::string folder = ::testing::TempDir();
  const std::string out = folder + "ctrl_c.txt", json = folder + "ctrl_c.json";
  const std::string flags = " bench --gpus 2 -b 1K -e 256M -f 2 -n 200 --format nccl-tests --json ";
  const Ended ended = run_in_shell(
      "rm -f " + out + " " + json + "; " + RAILYARD_EXECUTABLE + flags + json + " > " + out +
      " 2>&1 & p=$!; for i in $(seq 200); do grep -q '^  ' " + out +
      " 2>/dev/null && break; sleep 0.05; done; kill -INT $p; wait $p; echo exit $?; cat " + out);
  EXPECT_THAT(ended.text, HasSubstr("exit 130"));
  EXPECT_THAT(ended.text,
              ::testing::ContainsRegex("note: stopped: [0-9]+ of 19 sizes are finished"));
  EXPECT_THAT(ended.text, HasSubstr("# Avg bus bandwidth"));
  const auto tables = collectives::read_measured(json);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_GE(tables[0].rows.size(), 1u);
  EXPECT_LT(tables[0].rows.size(), 38u);
}

TEST(BenchFormat, ScriptsThatReadNcclTestsReadBench) {
  const Ended ended = bench(
      "--gpus 3 -b 1200 -e 120000 -f 10 -n 2 --format nccl-tests -d half -o avg", "2>/dev/null");
  EXPECT_EQ(ended.code, 0);
  const auto tables = collectives::parse_measured("bench.txt", ended.text, std::nullopt);
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_EQ(tables[0].rows.size(), 3u) << ended.text;
  EXPECT_EQ(tables[0].rows[1].collective.kind, collectives::Kind::all_reduce);
  EXPECT_EQ(tables[0].rows[1].collective.type, collectives::DataType::float16);
  EXPECT_EQ(tables[0].rows[1].collective.op, collectives::ReduceOp::avg);
  EXPECT_EQ(tables[0].rows[1].collective.bytes, Bytes(12000));
  EXPECT_EQ(tables[0].rows[1].ranks, 3);
  EXPECT_THAT(ended.text, HasSubstr("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : "));
  // Twelve columns or more would be N/A, were a place not measured.
  EXPECT_THAT(ended.text, ::testing::Not(HasSubstr("N/A")));
  EXPECT_EQ(bench("--gpus 3 --bytes 1K --format nccl-tests --place in").code, 2);
}

}  // namespace
}  // namespace railyard::apps::testing
