#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "tests/collectives/nccl_cases.hpp"

namespace railyard::collectives::nccl {
namespace {

/// As many decimals as the file prints, which rounds a float as printf does.
std::string printed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

std::string where(const NcclCase& system, Kind kind, TuningAlgorithm algorithm, Protocol protocol) {
  return fmt::format("{} {} {} {}", system.name, to_text(kind), nccl_name(algorithm),
                     to_text(protocol));
}

TEST(NcclTuningCases, EveryLatencyAndBandwidthIsNcclsToTheLastPrintedDigit) {
  const auto cases = nccl_cases();
  if (cases.empty()) GTEST_SKIP() << "no ../shared/truth/nccl_model beside this checkout";
  int compared = 0;
  for (const NcclCase& system : cases) {
    const TuningModel model = make_tuning_model(system.communicator, Version::v2_30);
    for (const NcclCase::Entry& entry : system.entries) {
      SCOPED_TRACE(where(system, entry.kind, entry.algorithm, entry.protocol));
      const TuningEntry& ours = model.entry(entry.kind, entry.algorithm, entry.protocol);
      EXPECT_EQ(ours.why_not, "");
      EXPECT_EQ(printed(ours.latency, 1), printed(entry.latency_us, 1));
      EXPECT_EQ(printed(ours.bandwidth, 4), printed(entry.bandwidth, 4));
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
  std::printf("%d entries of %zu systems compared\n", compared, cases.size());
}

TEST(NcclTuningCases, WhatNcclListsNotIsNotAllowed) {
  const auto cases = nccl_cases();
  if (cases.empty()) GTEST_SKIP() << "no ../shared/truth/nccl_model beside this checkout";
  for (const NcclCase& system : cases) {
    const TuningModel model = make_tuning_model(system.communicator, Version::v2_30);
    std::size_t allowed = 0;
    for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter}) {
      for (const TuningAlgorithm algorithm : kAllTuningAlgorithms) {
        for (const Protocol protocol : kAllProtocols)
          allowed += model.entry(kind, algorithm, protocol).why_not.empty() ? 1 : 0;
      }
    }
    EXPECT_EQ(allowed, system.entries.size()) << system.name;
  }
}

TEST(NcclTuningCases, EveryChoiceAndEstimateIsNccls) {
  const auto cases = nccl_cases();
  if (cases.empty()) GTEST_SKIP() << "no ../shared/truth/nccl_model beside this checkout";
  int compared = 0;
  for (const NcclCase& system : cases) {
    const TuningModel model = make_tuning_model(system.communicator, Version::v2_30);
    for (const NcclCase::Choice& choice : system.choices) {
      SCOPED_TRACE(where(system, choice.kind, choice.algorithm, choice.protocol) +
                   fmt::format(" {} B", choice.bytes));
      const auto ours = choose(model, {.kind = choice.kind, .bytes = choice.bytes});
      ASSERT_TRUE(ours);
      EXPECT_EQ(ours->algorithm, choice.algorithm);
      EXPECT_EQ(ours->protocol, choice.protocol);
      EXPECT_EQ(printed(ours->time_us, 2), printed(choice.time_us, 2));
      ++compared;
    }
  }
  EXPECT_GT(compared, 860);
  std::printf("%d choices of %zu systems compared\n", compared, cases.size());
}

}  // namespace
}  // namespace railyard::collectives::nccl
