#include "collectives/nccl/timing/fit/fit_outcome.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace railyard::collectives::nccl {
namespace {

/// A row on two nodes with eight NICs.
Predictions on_two_nodes() {
  auto machine = std::make_shared<Machine>();
  machine->nodes = 2;
  machine->nic_count = 8;
  Predictions predictions;
  predictions.rows.emplace_back().machine = std::move(machine);
  return predictions;
}

ClassParameter fitted(std::string_view name, ParameterOwner owner, double start, double value) {
  const auto all = timing_parameters();
  const auto found = std::ranges::find_if(
      all, [&](const TimingParameter& one) { return one.name == name && one.owner == owner; });
  return {.parameter = &*found, .owner = "x", .start = start, .value = value, .identified = true};
}

TEST(FitOutcome, SevenEighthsOfTheFabricAreSevenOfEightNics) {
  const std::vector<std::string> slow =
      slow_links(on_two_nodes(), {fitted("efficiency", ParameterOwner::fabric, 1, 0.875)});
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_NE(slow.front().find("the fitted x/efficiency, 0.875, is only 88 %"), std::string::npos)
      << slow.front();
  EXPECT_NE(slow.front().find("7 of 8 NICs in use"), std::string::npos) << slow.front();
}

TEST(FitOutcome, LinksOfNineTenthsAndParametersOfNoLinkAreNotSlow) {
  ClassParameter held = fitted("link_efficiency", ParameterOwner::generation, 1, 0.5);
  held.identified = false;
  EXPECT_TRUE(slow_links(on_two_nodes(), {fitted("efficiency", ParameterOwner::fabric, 1, 0.9),
                                          fitted("tail", ParameterOwner::generation, 1, 0.5), held})
                  .empty());
  EXPECT_EQ(
      slow_links(on_two_nodes(), {fitted("link_efficiency", ParameterOwner::generation, 1, 0.5)})
          .size(),
      1U);
}

}  // namespace
}  // namespace railyard::collectives::nccl
