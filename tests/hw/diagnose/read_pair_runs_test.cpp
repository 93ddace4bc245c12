#include "hw/diagnose/read_pair_runs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

std::vector<std::string> problems_of(const std::string& text) {
  try {
    (void)parse_pair_runs("t.csv", text);
  } catch (const InputError& error) {
    return core::printed_lines(error.diagnostics());
  }
  return {};
}

TEST(PairTable, LinesOfOnePairAndGpusAreOneRun) {
  const auto runs = parse_pair_runs("t.csv",
                                    "# a comment\n"
                                    "bytes,time_us,node_b,node_a,gpus_per_node,gpus_a,gpus_b,"
                                    "collective,busbw_GBps,busbw_inplace_GBps\n"
                                    "2M,200,b,a,2,1b+43,52+61,alltoall,10,8\n"
                                    "1048576,100,b,a,2,1b+43,52+61,alltoall,10,\n"
                                    "1048576,110,b,a,2,1b+43,52+61,alltoall,10,\n");
  ASSERT_EQ(runs.size(), 2U);  // a size that is there again is another run
  EXPECT_EQ(runs[0].node_a, "a");
  EXPECT_EQ(runs[0].node_b, "b");
  EXPECT_EQ(runs[0].gpus_a, (std::vector<std::string>{"1b", "43"}));
  EXPECT_EQ(runs[0].collective, "all_to_all");
  ASSERT_EQ(runs[0].tests.size(), 2U);
  EXPECT_EQ(runs[0].tests[0].bytes, Bytes(1 << 20));
  EXPECT_EQ(runs[0].tests[0].in_place, Time());
  // 200 us at 10 GB/s are 250 us at 8 GB/s.
  EXPECT_NEAR(runs[0].tests[1].in_place.microseconds(), 250, 1e-6);
  EXPECT_NEAR(runs[1].tests[0].time.microseconds(), 110, 1e-6);
}

TEST(PairTable, FailedRunsNeedNoFigures) {
  const auto runs = parse_pair_runs("t.csv",
                                    "node_a,node_b,gpus_per_node,bytes,time_us,status\n"
                                    "a,b,8,,,failed\n"
                                    "a,c,8,,,missing\n");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].status, RunStatus::failed);
  EXPECT_EQ(runs[1].status, RunStatus::missing);
}

TEST(PairTable, UnknownAndMissingColumnsAreNamed) {
  const auto problems = problems_of("node_a,node_b,gpus_per_nod,bytes,time_us\na,b,8,1M,10\n");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_NE(problems[0].find("t.csv:line 1: there is no column 'gpus_per_nod'"), std::string::npos)
      << problems[0];
  EXPECT_NE(problems[0].find("did you mean 'gpus_per_node'?"), std::string::npos) << problems[0];
  EXPECT_NE(problems[1].find("column 'gpus_per_node' is missing"), std::string::npos)
      << problems[1];
}

TEST(PairTable, EveryWrongCellIsNamedByLineAndColumn) {
  const auto problems = problems_of(
      "node_a,node_b,gpus_per_node,gpus_a,bytes,time_us,busbw_GBps,status\n"
      "a,a,8,,1M,10,1,ok\n"
      "a,b,zero,,1X,-1,fast,ok\n"
      "a,b,2,1b+1b,1M,10,1,well\n"
      "a,b,2,1b,1M,10,1,ok\n");
  std::string all;
  for (const std::string& problem : problems) all += problem + "\n";
  for (const char* expected :
       {"line 2, column node_b: 'a' is also node_a", "line 3, column gpus_per_node: 'zero'",
        "line 3, column bytes: '1X'", "line 3, column time_us: '-1'",
        "line 3, column busbw_GBps: 'fast'", "line 4, column gpus_a: '1b+1b'",
        "line 4, column status: 'well'", "line 5, column gpus_a: lists 1 GPUs"})
    EXPECT_NE(all.find(expected), std::string::npos) << expected << " in\n" << all;
  EXPECT_EQ(problems.size(), 8U) << all;
}

TEST(PairTable, ALineWithAnotherNumberOfCellsIsNamed) {
  const auto problems = problems_of("node_a,node_b,gpus_per_node,bytes,time_us\na,b,8,1M\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("line 2: has 4 cells, the head has 5 columns"), std::string::npos);
}

/// Writes a file for one test.
std::string written(const std::string& name, const std::string& text) {
  const std::string file = ::testing::TempDir() + name;
  std::ofstream(file) << text;
  return file;
}

constexpr const char* kRanks =
    "# Collective test starting: alltoall_perf\n"
    "#  Rank  0 Group  0 Pid     11 on     n1 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid     12 on     n2 device  0 [0000:9d:00] NVIDIA H100 80GB HBM3\n";

TEST(PairTable, OutputOfNcclTestsHasNodesGpusAndBothTimes) {
  const std::string file =
      written("pair.log", std::string(kRanks) +
                              "#  size  count  type  redop  root  time  algbw  busbw #wrong  time "
                              "algbw  busbw #wrong\n"
                              "1048576 65536 double none -1 50.5 20.7 10.3 0 49.5 21.1 10.5 N/A\n");
  const auto runs = read_pair_runs(file);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].node_a, "n1");
  EXPECT_EQ(runs[0].node_b, "n2");
  EXPECT_EQ(runs[0].gpus_per_node, 1);
  EXPECT_EQ(runs[0].gpus_a, std::vector<std::string>{"1b"});
  EXPECT_EQ(runs[0].gpus_b, std::vector<std::string>{"9d"});
  EXPECT_EQ(runs[0].collective, "all_to_all");
  ASSERT_EQ(runs[0].tests.size(), 1U);
  EXPECT_NEAR(runs[0].tests[0].time.microseconds(), 50.5, 1e-6);
  EXPECT_NEAR(runs[0].tests[0].in_place.microseconds(), 49.5, 1e-6);
}

TEST(PairTable, OutputThatDoesNotStateItsCollectiveIsNotAFailedRun) {
  const std::string ranks(std::string(kRanks).substr(std::string(kRanks).find('\n') + 1));
  const std::string file = written(
      "nameless.log", ranks + "1048576 65536 double none -1 50.5 20.7 10.3 0 49.5 21.1 10.5 0\n");
  try {
    (void)read_pair_runs(file);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("give it with --collective"), std::string::npos);
  }
  EXPECT_EQ(read_pair_runs(file, collectives::Kind::all_to_all).front().collective, "all_to_all");
}

TEST(PairTable, OutputWithoutFiguresIsAFailedRun) {
  const auto runs = read_pair_runs(written("failed.log", std::string(kRanks) + "Test failure\n"));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].status, RunStatus::failed);
}

TEST(PairTable, OutputOfOneNodeIsAnError) {
  const std::string one(kRanks, std::string(kRanks).find("#  Rank  1"));
  EXPECT_THROW((void)read_pair_runs(written("one.log", one)), InputError);
}

}  // namespace
}  // namespace railyard::hw
