#include "apps/place/whole_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "collectives/workload/check_workload.hpp"
#include "collectives/workload/workload_json.hpp"
#include "core/config/text_file.hpp"
#include "tests/apps/command_result.hpp"

namespace railyard::apps::testing {
namespace {

Ended place(const std::string& arguments) {
  return run_in_shell("cd " RAILYARD_SOURCE_DIR " && " RAILYARD_EXECUTABLE " place " + arguments +
                      " 2>&1");
}

double number_behind(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? 0 : std::atof(text.c_str() + at + what.size());
}

class WholeStep : public ::testing::TestWithParam<const char*> {};

// Both take the same computation and the same algorithms; on rails of their own little is shared.
// What is left: a bucket of gradients has a latency of its own, a message that finds its way free
// takes its own time instead of the slowest pair's (docs/models/workload.md).
TEST_P(WholeStep, IsWithinOnePercentOfTheStepPassByPass) {
  for (const char* fidelity : {"analytic", "flow"}) {
    const Ended ran = place(std::string("--cluster dgx_h100_ndr400 --nodes 8 --job llama3_8b "
                                        "--batch 256 --verify 1 --whole-step --fidelity ") +
                            fidelity + " --fix " + GetParam());
    ASSERT_EQ(ran.code, 0) << ran.text;
    const double whole = number_behind(ran.text, "one workload takes ");
    const double passes = number_behind(ran.text, "pass by pass ");
    ASSERT_GT(passes, 0) << ran.text;
    EXPECT_NEAR(whole, passes, 0.01 * passes) << fidelity;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, WholeStep,
    ::testing::Values(
        "tp=8,dp=8,zero=1", "tp=8,dp=8,zero=1,sequence_parallel=true",
        "tp=8,pp=4,dp=2,zero=1,sequence_parallel=true",
        "tp=8,pp=4,dp=2,zero=1,sequence_parallel=true,pp_overlap=true,dp_overlap=true",
        "tp=8,pp=4,dp=2,zero=1,sequence_parallel=true,pp_overlap=true,dp_overlap=true,"
        "tp_overlap=true,interleave=2,schedule=interleaved",
        "tp=4,pp=2,dp=8,zero=3,dp_overlap=true", "tp=4,pp=2,dp=8,zero=2",
        "tp=4,pp=4,dp=4,zero=1,schedule=zero_bubble,pp_overlap=true",
        "tp=4,pp=4,dp=4,schedule=dualpipe", "tp=4,cp=2,pp=2,dp=4,zero=1"),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(WholeStepFile, IsAWorkloadThatEnds) {
  const std::string file = ::testing::TempDir() + "step.workload.json";
  const Ended ran = place(
      "--cluster dgx_h100_ndr400 --nodes 2 --job llama3_8b --batch 16 --verify 0 --fix "
      "tp=4,pp=2,dp=2,zero=1,dp_overlap=true --workload " +
      file);
  ASSERT_EQ(ran.code, 0) << ran.text;
  const collectives::Workload workload =
      collectives::read_workload(core::read_text_file(file), file);
  EXPECT_EQ(workload.ranks(), 16u);
  EXPECT_EQ(workload.roles().size(), 2u);
  EXPECT_TRUE(collectives::check_workload(workload).empty());
}

TEST(WholeStepFile, PacketSimulationDoesNotRunWholeSteps) {
  const Ended ran = place(
      "--cluster dgx_h100_ndr400 --nodes 2 --job llama3_8b --batch 16 --verify 0 --fix "
      "tp=4,pp=2,dp=2 --whole-step --fidelity packet");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.text, ::testing::HasSubstr("whole steps run on flow or analytic"));
}

}  // namespace
}  // namespace railyard::apps::testing
