#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/apps/command_result.hpp"

namespace railyard::apps::testing {
namespace {

/// Runs a suite of a ring on four nodes and the same with `fault`.
Ended regress(const std::string& fault) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "railyard_twins";
  fs::create_directories(folder);
  const std::string ring =
      R"("cluster": "clos_rail_h100", "nodes": 4, "algorithm": "ring", "sizes": ["64 MiB"])";
  std::ofstream(folder / "suite.json")
      << R"({"name": "twins", "cases": [{"name": "healthy", )" << ring
      << R"(}, {"name": "faulty", )" << ring << ", " << fault << "}]}";
  const std::string file = "'" + (folder / "suite.json").string() + "'";
  const std::string baseline = "'" + (folder / "baseline.json").string() + "'";
  Ended ended = run_in_shell("cd \"" RAILYARD_SOURCE_DIR "\" && " RAILYARD_EXECUTABLE " regress " +
                             file + " --baseline " + baseline + " --update 2>&1");
  fs::remove_all(folder);
  return ended;
}

TEST(Twins, AFaultMustDifferFromItsHealthyTwin) {
  const Ended ended = regress(R"("degrade": ["node1/nic3:0.25"], "differs_from": "healthy")");
  EXPECT_EQ(ended.code, 0) << ended.text;
}

// A ring of four nodes below one leaf of each rail uses no uplink.
TEST(Twins, ACaseThatCannotFailIsRefused) {
  const Ended ended =
      regress(R"("fail": ["pod0/leaf0 -- pod0/spine0"], "differs_from": "healthy")");
  EXPECT_EQ(ended.code, 2) << ended.text;
  EXPECT_NE(ended.text.find("the case cannot fail"), std::string::npos) << ended.text;
}

// Without a name the case is compared with itself without faults.
TEST(Twins, AFaultThatChangesNothingIsNoted) {
  const Ended idle = regress(R"("fail": ["pod0/leaf0 -- pod0/spine0"])");
  EXPECT_EQ(idle.code, 0) << idle.text;
  EXPECT_NE(idle.text.find("case 'faulty' takes as long without its faults at 67108864 bytes"),
            std::string::npos)
      << idle.text;
  const Ended felt = regress(R"("degrade": ["node1/nic3:0.25"])");
  EXPECT_EQ(felt.code, 0) << felt.text;
  EXPECT_EQ(felt.text.find("takes as long"), std::string::npos) << felt.text;
}

TEST(Twins, AnUnknownTwinIsRefused) {
  const Ended unknown = regress(R"("degrade": ["node1/nic3:0.25"], "differs_from": "helthy")");
  EXPECT_EQ(unknown.code, 2) << unknown.text;
  EXPECT_NE(unknown.text.find("no other case is called 'helthy'"), std::string::npos);
}

}  // namespace
}  // namespace railyard::apps::testing
