#include "collectives/formats/traces/import_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "collectives/formats/traces/comm_groups.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A file of the test.
std::string written(const std::string& name, const std::string& text) {
  const auto file = std::filesystem::path(::testing::TempDir()) / ("railyard_import_jobs_" + name);
  std::ofstream(file) << text;
  return file.string();
}

/// Two ranks that compute, in GOAL.
std::string goal(int ranks) {
  std::string text = "num_ranks " + std::to_string(ranks) + "\n";
  for (int rank = 0; rank < ranks; ++rank)
    text += "rank " + std::to_string(rank) + " {\nl1: calc 1000\n}\n";
  return text;
}

TEST(ImportJobs, TheRanksOfAJobFollowThoseOfTheJobBefore) {
  const std::vector<TraceJob> jobs{
      {.name = "a", .files = {written("a.goal", goal(2))}, .arrival = Time()},
      {.name = "b", .files = {written("b.goal", goal(3))}, .arrival = Time::milliseconds(2)}};
  const ImportedJobs both = import_jobs(jobs, {});
  EXPECT_EQ(both.workload.ranks(), 5U);
  EXPECT_THAT(both.jobs, ElementsAre(Pair("a", 2U), Pair("b", 5U)));
  EXPECT_EQ(both.job_of(1), "a");
  EXPECT_EQ(both.job_of(2), "b");
  for (const std::string& note : both.notes)
    EXPECT_TRUE(note.starts_with("a: ") || note.starts_with("b: ")) << note;
  const TraceJob alone{.name = "", .files = jobs[0].files, .arrival = Time()};
  const ImportedJobs one = import_jobs({&alone, 1}, {});
  EXPECT_EQ(one.workload.ranks(), 2U);
  EXPECT_EQ(one.job_of(1), "");
}

TEST(CommGroups, ListsOfRanksAreReadAndAllProblemsReported) {
  const auto groups = read_comm_groups(written("groups.json", R"({"tp": [0, 1], "dp": [0, 2]})"));
  EXPECT_THAT(groups,
              ElementsAre(Pair("dp", ElementsAre(0U, 2U)), Pair("tp", ElementsAre(0U, 1U))));
  try {
    (void)read_comm_groups(written("wrong.json", R"({"tp": 7, "dp": [-1, "x", 5]})"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/tp"));
    EXPECT_THAT(error.what(), HasSubstr("/dp/0"));
    EXPECT_THAT(error.what(), HasSubstr("/dp/1"));
  }
}

}  // namespace
}  // namespace railyard::collectives
