#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/config/text_file.hpp"
#include "tests/apps/command_result.hpp"

// Suites with cases that are run for real.
namespace railyard::apps::testing {
namespace {

using ::testing::HasSubstr;

class RegressLive : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(::testing::TempDir()) / (std::string("regress_live_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  /// `case_keys`: beside name, cluster and sizes.
  Ended regress(const std::string& case_keys, const std::string& flags = "") const {
    std::ofstream(folder_ / "suite.json")
        << R"({"name": "live", "source": "a test", "cases": [{"name": "ring", )"
        << R"("cluster": "dgx_a100_hdr200", "nodes": 1, "gpus": 4, "sizes": ["64 KiB", "1 MiB"], )"
        << case_keys << "}]}";
    return run_in_shell(std::string(RAILYARD_EXECUTABLE) + " regress " +
                        (folder_ / "suite.json").string() + " --baseline " +
                        (folder_ / "base.json").string() + " " + flags + " 2>&1");
  }

  std::filesystem::path folder_;
};

TEST_F(RegressLive, ACaseOnABackendIsRunAndComparedWithItsBaseline) {
  const std::string local = R"("fidelity": "local", "tolerance": 0.9)";
  const Ended made = regress(local, "--update");
  EXPECT_EQ(made.code, 0) << made.text;
  EXPECT_THAT(made.text, HasSubstr("2 rows written"));
  EXPECT_THAT(made.text, HasSubstr("ring,all_reduce,ring,"));
  EXPECT_THAT(made.text, HasSubstr(",local,4,1,65536,"));
  // Ten seconds for each: whatever this machine takes is more than 90 % less.
  std::string base = core::read_text_file(folder_ / "base.json");
  for (std::size_t at = 0; (at = base.find("\"time_us\":", at)) != std::string::npos; ++at) {
    const std::size_t begin = at + std::string("\"time_us\":").size();
    base.replace(begin, base.find(',', begin) - begin, "1e7");
  }
  std::ofstream(folder_ / "base.json") << base;
  const Ended compared = regress(local);
  EXPECT_EQ(compared.code, 1) << compared.text;
  EXPECT_THAT(compared.text, HasSubstr("2 faster"));
}

TEST_F(RegressLive, WhatCannotBeRunIsRefusedBeforeAnythingRuns) {
  const Ended untolerant = regress(R"("fidelity": "local")", "--update");
  EXPECT_EQ(untolerant.code, 2);
  EXPECT_THAT(untolerant.text, HasSubstr("a live case needs a tolerance of its own"));
  const Ended elsewhere = regress(R"("fidelity": "nccl", "tolerance": 0.3)", "--update");
  EXPECT_EQ(elsewhere.code, 3);
  EXPECT_THAT(elsewhere.text, HasSubstr("railyard-cluster regress"));
}

}  // namespace
}  // namespace railyard::apps::testing
