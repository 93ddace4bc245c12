#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/apps/command_result.hpp"

// `railyard gpu` and script/gpu-day, with tests/hw/fake_nccl in place of CUDA and NCCL.
namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Ended gpu(const std::string& environment, const std::string& flags) {
  return run_in_shell("env " + environment + " " + RAILYARD_EXECUTABLE + " gpu --libraries " +
                      RAILYARD_FAKE_GPU + " " + flags + " 2>&1");
}

TEST(GpuCommand, RowsHaveRatesAndPredictionsBesideThem) {
  const Ended ended = gpu("FAKE_GPUS=1",
                          "--test memory,products --bytes 1M -n 1 --shapes 64x64x64 --sustained "
                          "'0 s' --predict h100_sxm --gemm-table -");
  EXPECT_EQ(ended.code, 0) << ended.text;
  EXPECT_THAT(ended.text, HasSubstr("m,n,k,ms\n64,64,64,"));
  EXPECT_THAT(ended.text, HasSubstr("predicted_us"));
}

TEST(GpuCommand, WrongKernelsAreAFinding) {
  const Ended ended = gpu("FAKE_GPUS=1 FAKE_FAULT=corrupt:kernel:0::1", "--test kernels -n 1");
  EXPECT_EQ(ended.code, 1) << ended.text;
  EXPECT_THAT(ended.text, HasSubstr("error: GPU 0, sum_int8: 1 wrong elements"));
}

TEST(GpuCommand, FlagsThatWouldChangeNothingAreRejected) {
  EXPECT_EQ(gpu("", "--test kernels --shapes 8x8x8").code, 2);
  EXPECT_EQ(gpu("", "--shapes 8x8").code, 2);
  EXPECT_EQ(gpu("", "-o kernels.cubin").code, 2);
  EXPECT_EQ(gpu("FAKE_GPUS=1", "--gpus 2").code, 3);
}

/// script/gpu-day on the fake libraries, with its summary.
struct Day {
  Ended ended;
  std::string summary;
  fs::path folder;
};
Day gpu_day(const std::string& name, const std::string& environment) {
  Day day;
  day.folder = fs::path(::testing::TempDir()) / ("gpu_day_" + name);
  fs::remove_all(day.folder);
  const std::string bin = fs::path(RAILYARD_EXECUTABLE).parent_path().string();
  day.ended = run_in_shell("env " + environment + " " + RAILYARD_SOURCE_DIR + "/script/gpu-day " +
                           day.folder.string() + " --small --bin " + bin + " --libraries " +
                           RAILYARD_FAKE_GPU + " 2>&1");
  std::ostringstream text;
  text << std::ifstream(day.folder / "summary.md").rdbuf();
  day.summary = text.str();
  return day;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(GpuDay, EveryStepPassesOnTheFakeLibraries) {
  const Day day = gpu_day("all", "FAKE_GPUS=2");
  EXPECT_EQ(day.ended.code, 0) << day.ended.text << day.summary;
  EXPECT_THAT(day.summary, HasSubstr("steps passed, 0 failed, 0 skipped; exit code 0"));
  EXPECT_EQ(count(day.summary, "| passed |"), 22U) << day.summary;
  EXPECT_THAT(day.summary, HasSubstr("native:ring"));   // NCCL's log was read
  EXPECT_THAT(day.summary, HasSubstr("predicted_us"));  // predictions beside times
  EXPECT_THAT(day.summary, HasSubstr("sustained"));
  for (const char* file : {"cluster.json", "gemm_bf16.csv", "gpu_rates.json", "rows.tar.gz"})
    EXPECT_TRUE(fs::exists(day.folder / file)) << file;
  // A device machine returns at most eight files.
  EXPECT_LE(std::distance(fs::directory_iterator(day.folder), {}), 8);
}

TEST(GpuDay, OneGpuSharesItsRanksOrSkipsThem) {
  const Day shared = gpu_day("shared", "FAKE_GPUS=1");
  EXPECT_EQ(shared.ended.code, 0) << shared.summary;
  EXPECT_EQ(count(shared.summary, "| skipped |"), 0U);
  const Day old = gpu_day("old", "FAKE_GPUS=1 FAKE_NCCL_VERSION=22809");
  EXPECT_EQ(old.ended.code, 0) << old.summary;
  EXPECT_EQ(count(old.summary, "| skipped |"), 7U) << old.summary;
  EXPECT_THAT(old.summary, HasSubstr("needs NCCL 2.30, and this is 2.28.9"));
}

TEST(GpuDay, WithoutADriverItFailsLoudly) {
  const Day day = gpu_day("none", "FAKE_CUDA_ERROR=35");
  EXPECT_EQ(day.ended.code, 3);
  EXPECT_THAT(day.ended.text, HasSubstr("NCCL does not run on this machine"));
  EXPECT_THAT(day.ended.text, HasSubstr("CUDA driver version is insufficient"));
  EXPECT_THAT(day.summary, HasSubstr("| driver | **failed** |"));
}

TEST(GpuDay, WrongResultsEndWithCode1) {
  const Day day = gpu_day("wrong", "FAKE_GPUS=2 FAKE_FAULT=corrupt:kernel:0::1");
  EXPECT_EQ(day.ended.code, 1) << day.summary;
  EXPECT_THAT(day.summary, HasSubstr("| kernels | **wrong** |"));
}

}  // namespace
}  // namespace railyard::apps::testing
