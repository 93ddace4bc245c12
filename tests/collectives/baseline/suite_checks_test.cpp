#include "collectives/baseline/suite_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Measurement measured(std::int64_t bytes, std::int64_t nanoseconds) {
  Measurement row;
  row.bytes = Bytes(bytes);
  row.time = Time::nanoseconds(nanoseconds);
  return row;
}

SuiteRow row(const std::string& name, std::int64_t bytes, std::int64_t nanoseconds) {
  return {.name = name, .tolerance = 0.01, .measurement = measured(bytes, nanoseconds)};
}

SuiteCase one_case(const std::string& name, const std::string& differs_from = {}) {
  SuiteCase one;
  one.name = name;
  one.differs_from = differs_from;
  return one;
}

Suite twins() {
  Suite suite;
  suite.cases = {one_case("healthy"), one_case("faulty", "healthy")};
  return suite;
}

TEST(SuiteChecks, ACaseWithoutFaultsKeepsTheRest) {
  SuiteCase one = one_case("a");
  EXPECT_FALSE(has_faults(one));
  one.fail = {"pod0/spine0"};
  one.degrade = {"node0/nic0:0.5"};
  EXPECT_TRUE(has_faults(one));
  const SuiteCase healthy = without_faults(one);
  EXPECT_FALSE(has_faults(healthy));
  EXPECT_EQ(healthy.name, "a");
}

// At 1 byte 100.9 us are 0.9 % above 100 us, at 2 bytes 102 us are 2 % above it.
TEST(SuiteChecks, OnlySizesAtWhichFaultsChangeNothingAreNoted) {
  const std::vector<Measurement> rows{measured(1, 100'900), measured(2, 102'000)};
  const std::vector<Measurement> healthy{measured(1, 100'000), measured(2, 100'000)};
  EXPECT_THAT(
      idle_fault_notes(one_case("a"), 0.01, rows, healthy),
      ElementsAre(StartsWith("case 'a' takes as long without its faults at 1 bytes; it does not")));
  EXPECT_THAT(idle_fault_notes(one_case("a"), 0.01, rows, {}), IsEmpty());
}

TEST(SuiteChecks, ATwinThatDiffersAtEverySizeIsAccepted) {
  const std::vector<SuiteRow> rows{row("healthy", 1, 100'000), row("healthy", 2, 200'000),
                                   row("faulty", 1, 102'000), row("faulty", 2, 150'000)};
  EXPECT_NO_THROW(check_twins(twins(), rows));
}

TEST(SuiteChecks, ATwinThatTakesAsLongIsRefusedAtItsCase) {
  const std::vector<SuiteRow> rows{row("healthy", 1, 100'000), row("faulty", 1, 100'000)};
  try {
    check_twins(twins(), rows);
    FAIL() << "the twins take the same time";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().pointer, "/cases/1/differs_from");
    EXPECT_EQ(error.diagnostics().front().message,
              "'faulty' takes as long as 'healthy' at 1 bytes: the case cannot fail");
  }
}

}  // namespace
}  // namespace railyard::collectives
