#include "apps/place/place_case.hpp"

#include <gtest/gtest.h>

namespace railyard::apps {
namespace {

// A replica on a node of each type: two nodes, by formula without a simulation.
TEST(PlaceCase, AStepOverSeveralTypesIsARow) {
  PlaceCase one{.cluster = {},
                .fabric = {},
                .job = "llama3_8b",
                .fix = "tp=8,zero=1,recompute=full,stages=A+B",
                .batch = 8,
                .verify = 0};
  one.cluster.cluster = "clos_baidu_mixed";
  one.cluster.ranks = "0-7,512-519";
  Provenance provenance;
  const collectives::Measurement row = place_step(one, provenance);
  EXPECT_EQ(row.collective, "training_step");
  EXPECT_EQ(row.ranks, 16U);
  EXPECT_EQ(row.nodes, 2U);
  EXPECT_EQ(row.fidelity, "formula");
  EXPECT_NE(row.algorithm.find("stages=A+B,replicas=1+1"), std::string::npos) << row.algorithm;
  EXPECT_GT(row.time, Time());
}

}  // namespace
}  // namespace railyard::apps
