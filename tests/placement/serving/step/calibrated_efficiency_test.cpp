#include "placement/serving/step/calibrated_efficiency.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "placement/serving/step/efficiency_parameters.hpp"

namespace railyard::placement::serving {
namespace {

CalibratedEfficiency read(const char* text) {
  return core::read_config_text<CalibratedEfficiency>(text, "machine.json");
}

std::string problem_of(const char* text) {
  try {
    (void)read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CalibratedEfficiency, ReplacesTheValuesOfItsEngineAlone) {
  const StepEfficiency e =
      read(R"({"engine": "sglang", "values": {"host_us": 900, "kv": 0.5}})").efficiency();
  const StepEfficiency shipped = fitted_efficiency(Engine::sglang);
  EXPECT_EQ(e.host_us, 900);
  EXPECT_EQ(e.kv, 0.5);
  EXPECT_EQ(e.launch_us, shipped.launch_us);
  EXPECT_EQ(e.weights, shipped.weights);
}

TEST(CalibratedEfficiency, NamesWrongValues) {
  EXPECT_NE(problem_of(R"({"engine": "vllm", "values": {"host_uss": 9}})").find("'host_us'"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"engine": "vllm", "values": {"kv": 1.5}})").find("/values/kv"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"engine": "vllm", "values": {"kv": 0}})").find("above 0"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"values": {}})").find("engine"), std::string::npos);
}

TEST(CalibratedEfficiency, ChangedValuesAreThoseThatDifferFromTheShippedOnes) {
  StepEfficiency e = fitted_efficiency(Engine::vllm);
  EXPECT_TRUE(changed_values(e, Engine::vllm).empty());
  e.kv = 0.123;
  EXPECT_EQ(changed_values(e, Engine::vllm), (std::map<std::string, double>{{"kv", 0.123}}));
}

TEST(CalibratedEfficiency, IsReadAsItWasWritten) {
  const CalibratedEfficiency file{
      .engine = Engine::trtllm, .measured = "x", .values = {{"kv", 0.7}}};
  const CalibratedEfficiency again = read(core::write_config(file, "").c_str());
  EXPECT_EQ(again.engine, file.engine);
  EXPECT_EQ(again.values, file.values);
}

TEST(CalibratedEfficiency, SharesStayBelowTheirBounds) {
  EXPECT_NE(problem_of(R"({"engine": "vllm", "values": {"skew": 1}})").find("/values/skew"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"engine": "vllm", "values": {"imbalance": 0.5}})").find("below 1"),
            std::string::npos);
}

TEST(EfficiencyParameters, OnlyRunsThatUseThemDependOnThem) {
  const auto named = [](std::string_view name) {
    const auto all = efficiency_parameters();
    const auto at = std::ranges::find(all, name, &EfficiencyParameter::name);
    EXPECT_NE(at, all.end()) << name;
    return *at;
  };
  const Deployment wide{}, four_bit{.formats = {.mlp = NumberFormat::nvfp4}};
  EXPECT_FALSE(named("matrix4").applies_to(wide, true));
  EXPECT_TRUE(named("matrix4").applies_to(four_bit, false));
  EXPECT_FALSE(named("imbalance").applies_to(four_bit, false));
  EXPECT_TRUE(named("imbalance").applies_to(wide, true));
  EXPECT_TRUE(named("weights").applies_to(wide, false));
}

}  // namespace
}  // namespace railyard::placement::serving
