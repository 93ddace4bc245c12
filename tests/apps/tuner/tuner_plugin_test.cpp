#include <gtest/gtest.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>

#include "apps/tuner/tuner_interface.hpp"

#ifdef RAILYARD_HAS_NCCL_H
#include <nccl.h>
#endif

// The plugin as NCCL uses it: loaded, found by symbol, and driven through its C interface.
namespace railyard::apps::tuner {
namespace {

#ifdef RAILYARD_HAS_NCCL_H
static_assert(int{success} == int{ncclSuccess});
static_assert(int{internal_error} == int{ncclInternalError});
static_assert(int{invalid_usage} == int{ncclInvalidUsage});
static_assert(sizeof(Result) == sizeof(ncclResult_t));
#endif

constexpr int kAlgorithms = 7, kProtocols = 3;
using Costs = std::array<std::array<float, kProtocols>, kAlgorithms>;

std::string logged;  // what the plugin said last

void log(int, unsigned long, const char*, int, const char* format, ...) {
  std::array<char, 1024> text{};
  va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  logged = text.data();
}

class TunerPlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(RAILYARD_TUNER_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    v4_ = static_cast<const TunerV4*>(dlsym(library_, "ncclTunerPlugin_v4"));
    v5_ = static_cast<const TunerV5*>(dlsym(library_, "ncclTunerPlugin_v5"));
    ASSERT_NE(v4_, nullptr);
    ASSERT_NE(v5_, nullptr);
    file_ = std::filesystem::path(::testing::TempDir()) / "railyard_tuner_plugin_test.json";
    write(R"({"kind": "nccl_tuner", "nodes": 2, "ranks": 16, "ranges": [
      {"collective": "all_reduce", "from_bytes": 1024, "to_bytes": 4095,
       "algorithm": "ring", "protocol": "ll"},
      {"collective": "all_gather", "from_bytes": 4096, "algorithm": "pat",
       "protocol": "simple"}]})");
    setenv("RAILYARD_TUNER_FILE", file_.c_str(), 1);
    logged.clear();
  }
  void TearDown() override {
    unsetenv("RAILYARD_TUNER_FILE");
    std::filesystem::remove(file_);
    if (library_ != nullptr) dlclose(library_);
  }
  void write(const std::string& text) { std::ofstream(file_) << text; }

  /// A communicator's context (version 5).
  void* context(std::size_t ranks = 16, std::size_t nodes = 2) {
    void* made = nullptr;
    EXPECT_EQ(v5_->init(&made, 1, ranks, nodes, log, nullptr, nullptr), success);
    return made;
  }

  /// NCCL's costs after the plugin; 7 us each, Tree/LL cannot be taken.
  Costs asked(void* context, Function function, std::size_t bytes, int* channels) {
    Costs costs;
    for (auto& row : costs) row.fill(7);
    costs[0][0] = kIgnored;
    EXPECT_EQ(
        v5_->get_collective_info(context, function, bytes, 1, reinterpret_cast<float**>(&costs),
                                 kAlgorithms, kProtocols, 0, channels),
        success);
    return costs;
  }

  static int changed(const Costs& costs) {
    int count = costs[0][0] == kIgnored ? 0 : 1;
    for (std::size_t i = 1; i < std::size_t{kAlgorithms * kProtocols}; ++i)
      count += costs[i / kProtocols][i % kProtocols] == 7 ? 0 : 1;
    return count;
  }

  void* library_ = nullptr;
  const TunerV4* v4_ = nullptr;
  const TunerV5* v5_ = nullptr;
  std::filesystem::path file_;
};

TEST_F(TunerPlugin, TheDecidedWayCostsNothingAndChannelsAreLeftToNccl) {
  void* const made = context();
  EXPECT_NE(logged.find("2 ranges of sizes"), std::string::npos) << logged;
  int channels = 5;
  const Costs costs = asked(made, all_reduce, 1024, &channels);
  EXPECT_EQ(costs[1][0], 0);  // Ring, LL
  EXPECT_EQ(changed(costs), 1);
  EXPECT_EQ(channels, 0);
  EXPECT_EQ(asked(made, all_gather, std::size_t{1} << 40, &channels)[6][2], 0);  // PAT, Simple
  EXPECT_EQ(v5_->finalize(made), success);
}

TEST_F(TunerPlugin, VersionsSixAndSevenDecideAlikeAndLeaveChunksToNccl) {
  for (const char* symbol : {"ncclTunerPlugin_v6", "ncclTunerPlugin_v7"}) {
    const auto* plugin = static_cast<const TunerV6*>(dlsym(library_, symbol));
    ASSERT_NE(plugin, nullptr) << symbol;
    EXPECT_STREQ(plugin->name, "railyard");
    EXPECT_EQ(plugin->get_chunk_size, nullptr);
    void* made = nullptr;
    ASSERT_EQ(plugin->init(&made, 1, 16, 2, log, nullptr, nullptr), success);
    Costs costs;
    for (auto& row : costs) row.fill(7);
    int channels = 5;
    EXPECT_EQ(
        plugin->get_collective_info(made, all_reduce, 1024, 1, reinterpret_cast<float**>(&costs),
                                    kAlgorithms, kProtocols, 0, &channels),
        success);
    EXPECT_EQ(costs[1][0], 0);  // Ring, LL
    EXPECT_EQ(channels, 0);
    EXPECT_EQ(plugin->finalize(made), success);
  }
}

TEST_F(TunerPlugin, WhatIsNotDecidedStaysAsItIs) {
  void* const made = context();
  int channels = 0;
  EXPECT_EQ(changed(asked(made, all_reduce, 1023, &channels)), 0);
  EXPECT_EQ(changed(asked(made, all_reduce, 4096, &channels)), 0);
  EXPECT_EQ(changed(asked(made, broadcast, 1024, &channels)), 0);
  EXPECT_EQ(v5_->finalize(made), success);
}

TEST_F(TunerPlugin, WhatNcclCannotTakeStaysIgnored) {
  write(R"({"kind": "nccl_tuner", "nodes": 2, "ranks": 16, "ranges": [
      {"collective": "reduce", "from_bytes": 0, "algorithm": "tree", "protocol": "ll"}]})");
  void* const made = context();
  int channels = 0;
  EXPECT_EQ(asked(made, reduce, 8, &channels)[0][0], kIgnored);
  // A release with fewer algorithms than the file knows of.
  Costs costs{};
  EXPECT_EQ(v5_->get_collective_info(made, all_gather, 8192, 1, reinterpret_cast<float**>(&costs),
                                     6, kProtocols, 0, &channels),
            success);
  EXPECT_EQ(v5_->finalize(made), success);
}

TEST_F(TunerPlugin, OtherCommunicatorsAreLeftAlone) {
  void* const made = context(8, 1);
  EXPECT_NE(logged.find("for 16 ranks on 2 nodes"), std::string::npos) << logged;
  int channels = 0;
  EXPECT_EQ(changed(asked(made, all_reduce, 1024, &channels)), 0);
  EXPECT_EQ(v5_->finalize(made), success);
  unsetenv("RAILYARD_TUNER_FILE");
  void* const without = context();
  EXPECT_NE(logged.find("RAILYARD_TUNER_FILE is not set; NCCL chooses"), std::string::npos)
      << logged;
  EXPECT_EQ(changed(asked(without, all_reduce, 1024, &channels)), 0);
  EXPECT_EQ(v5_->finalize(without), success);
}

TEST_F(TunerPlugin, AWrongFileIsRefusedWithItsReason) {
  write(R"({"kind": "nccl_tuner", "nodes": 2, "ranks": 16, "ranges": [
      {"collective": "all_reduce", "from_bytes": 0, "algorithm": "rign", "protocol": "ll"}]})");
  void* made = nullptr;
  EXPECT_EQ(v4_->init(16, 2, log, &made), invalid_usage);
  EXPECT_EQ(made, nullptr);
  EXPECT_NE(logged.find("did you mean 'ring'?"), std::string::npos) << logged;
  write(R"({"kind": "sim"})");
  EXPECT_EQ(v4_->init(16, 2, log, &made), invalid_usage);
  EXPECT_NE(logged.find("--tuner-json"), std::string::npos) << logged;
}

TEST_F(TunerPlugin, VersionFourDoesTheSame) {
  void* made = nullptr;
  ASSERT_EQ(v4_->init(16, 2, log, &made), success);
  Costs costs;
  for (auto& row : costs) row.fill(7);
  int channels = 3;
  EXPECT_EQ(v4_->get_collective_info(made, all_reduce, 2048, 1, reinterpret_cast<float**>(&costs),
                                     kAlgorithms, kProtocols, 0, &channels),
            success);
  EXPECT_EQ(costs[1][0], 0);
  EXPECT_EQ(channels, 0);
  EXPECT_EQ(v4_->destroy(made), success);
}

}  // namespace
}  // namespace railyard::apps::tuner
