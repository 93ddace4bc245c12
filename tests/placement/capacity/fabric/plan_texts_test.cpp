#include "placement/capacity/fabric/plan_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using topology::FabricKind;

std::string error_of(const std::string& text) {
  try {
    (void)parse_fabric_kinds(text, "--compare");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanTexts, FabricsAreListedOnceInTheirOrder) {
  EXPECT_THAT(parse_fabric_kinds("rail_clos,leaf_spine,rail_clos", "--compare"),
              ElementsAre(FabricKind::rail_clos, FabricKind::leaf_spine));
}

TEST(PlanTexts, OnlyFabricsThatCanBeDesignedAreAccepted) {
  EXPECT_THAT(error_of("rail_clos,ring"),
              HasSubstr("--compare: 'ring' is not a fabric that can be designed"));
  EXPECT_THAT(error_of("single_switch"), HasSubstr("is not a fabric that can be designed"));
  EXPECT_THAT(error_of(""), HasSubstr("does not list a fabric"));
}

// Twelve GPUs in nodes of eight: tp 4 leaves three replicas.
TEST(PlanTexts, AStrategyUsesTheGpusOfTheRequest) {
  FabricPlanRequest request;
  request.node = topology::read_node("dgx_h100");
  request.gpus = 12;
  request.job = read_job("llama3_8b");
  request.job->batch = 12;
  EXPECT_EQ(parse_plan_strategy("tp=4", request).dp, 3);
}

}  // namespace
}  // namespace railyard::placement
