#include "core/config/config_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder of configs that $RAILYARD_CONFIGS names while a test runs.
class ConfigPath : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_ / "clusters");
    for (const char* name : {"clusters/alpha_pod.json", "clusters/beta_pod.json", "near.json"})
      std::ofstream(folder_ / name) << "{}";
    setenv("RAILYARD_CONFIGS", ("/nowhere:" + folder_.string()).c_str(), 1);
  }
  void TearDown() override {
    unsetenv("RAILYARD_CONFIGS");
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(ConfigPath, ANameIsFoundInTheFolderOfItsKind) {
  EXPECT_EQ(resolve_config("alpha_pod", "clusters"), folder_ / "clusters/alpha_pod.json");
  EXPECT_EQ(resolve_config("alpha_pod.json", "clusters"), folder_ / "clusters/alpha_pod.json");
}

TEST_F(ConfigPath, APathIsTakenAsItIs) {
  EXPECT_EQ(resolve_config((folder_ / "near.json").string(), "clusters"), folder_ / "near.json");
}

TEST_F(ConfigPath, AConfigMayNameAnotherBesideIt) {
  EXPECT_EQ(resolve_config("../near.json", "nodes", folder_ / "clusters/alpha_pod.json"),
            folder_ / "near.json");
}

TEST_F(ConfigPath, NamesAreListed) {
  EXPECT_THAT(config_names("clusters"), Contains("alpha_pod"));
  EXPECT_THAT(config_names("clusters"), Contains("beta_pod"));
}

TEST_F(ConfigPath, AMissingNameSaysWhatIsNearAndWhereItLooked) {
  try {
    (void)resolve_config("alpha_pods", "clusters", folder_ / "near.json", "/cluster");
    FAIL() << "found what is not there";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u);
    const Diagnostic& found = error.diagnostics()[0];
    EXPECT_EQ(found.file, (folder_ / "near.json").string());
    EXPECT_EQ(found.pointer, "/cluster");
    EXPECT_EQ(found.message, "there is no 'alpha_pods' in configs/clusters");
    EXPECT_THAT(found.hint, HasSubstr("did you mean 'alpha_pod'?"));
    EXPECT_THAT(found.hint, HasSubstr((folder_ / "clusters").string()));
  }
}

TEST_F(ConfigPath, AMissingNameIsAProblemWithoutAPlace) {
  EXPECT_FALSE(missing_config("alpha_pod", "clusters"));
  const auto missing = missing_config("alpha_pods", "clusters");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->file + missing->pointer, "");
  EXPECT_EQ(missing->message, "there is no 'alpha_pods' in configs/clusters");
}

TEST_F(ConfigPath, AMissingNameIsLookedUpAmongTheNamesOfProducts) {
  std::ofstream(folder_ / "clusters/broken.json") << "{";
  std::ofstream(folder_ / "clusters/gamma.json") << R"-({"name": "Maker XY9700 (Gamma-2)"})-";
  const auto hint = [](const char* name) { return missing_config(name, "clusters")->hint; };
  for (const char* name : {"xy9700", "XY9700", "maker xy9700", "Gamma-2"})
    EXPECT_THAT(hint(name), HasSubstr("did you mean 'gamma', Maker XY9700 (Gamma-2)?")) << name;
  EXPECT_THAT(hint("xy970"), Not(HasSubstr("XY9700"))) << "part of a word is another product";
}

// Each kind is a folder, and the message must read well for kinds that have no plural too.
TEST_F(ConfigPath, AMissingNameOfAnyKindNamesTheFolder) {
  for (const char* kind : {"packet", "failures", "ranges", "validation", "launch_modes"})
    EXPECT_EQ(missing_config("x.json", kind)->message,
              std::string("there is no 'x.json' in configs/") + kind);
}

TEST_F(ConfigPath, AFolderIsNoConfig) {
  EXPECT_THROW((void)resolve_config(folder_.string(), "clusters"), InputError);
}

}  // namespace
}  // namespace railyard::core
