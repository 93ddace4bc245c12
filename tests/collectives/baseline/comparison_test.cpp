#include "collectives/baseline/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SuiteRow row(const std::string& name, std::int64_t bytes, std::int64_t nanoseconds) {
  SuiteRow now{.name = name, .tolerance = 0.01, .measurement = {}};
  now.measurement.collective = "all_reduce";
  now.measurement.algorithm = "ring";
  now.measurement.bound_by = "a link";
  now.measurement.ranks = 16;
  now.measurement.bytes = Bytes(bytes);
  now.measurement.time = Time::nanoseconds(nanoseconds);
  return now;
}

BaselineRow before(const std::string& name, std::int64_t bytes, double time_us) {
  return {.name = name,
          .bytes = bytes,
          .time_us = time_us,
          .algorithm = "ring",
          .bound_by = "a link",
          .collective = "all_reduce",
          .ranks = 16};
}

TEST(Comparison, ATimeWithinTheToleranceIsTheSame) {
  // 100.9 us is 0.9 % above 100 us, 102 us is 2 % above, 98 us is 2 % below.
  const std::vector<SuiteRow> rows{row("a", 1, 100'900), row("a", 2, 102'000), row("a", 4, 98'000),
                                   row("b", 1, 5'000)};
  const std::vector<BaselineRow> baseline{before("a", 1, 100), before("a", 2, 100),
                                          before("a", 4, 100), before("c", 1, 7)};
  const std::vector<ComparisonRow> compared = compare(rows, baseline);
  ASSERT_THAT(compared, SizeIs(5));
  EXPECT_EQ(compared[0].verdict, Verdict::same);
  EXPECT_EQ(compared[1].verdict, Verdict::slower);
  EXPECT_EQ(compared[2].verdict, Verdict::faster);
  EXPECT_EQ(compared[3].verdict, Verdict::fresh);
  EXPECT_EQ(compared[4].verdict, Verdict::missing);
  EXPECT_EQ(compared[4].name, "c");
  EXPECT_NEAR(*compared[1].change(), 0.02, 1e-12);
}

TEST(Comparison, WhatElseChangedIsNamed) {
  SuiteRow now = row("a", 1, 200'000);
  now.measurement.algorithm = "tree";
  now.measurement.bound_by = "another";
  now.measurement.ranks = 32;
  now.configs = {{"dgx", "digest 2"}, {"same", "digest"}, {"new", "digest"}};
  BaselineRow was = before("a", 1, 100);
  was.configs = std::make_shared<const std::map<std::string, std::string>>(
      std::map<std::string, std::string>{{"dgx", "digest 1"}, {"same", "digest"}});
  const ComparisonRow both = compare({now}, {was}).front();
  EXPECT_EQ(both.changed, "ranks 16 -> 32, ring -> tree");
  EXPECT_EQ(both.cause, "bound_by a link -> another, config dgx");
  // A time that did not change needs no cause.
  now.measurement.time = Time::nanoseconds(100'000);
  EXPECT_THAT(compare({now}, {was}).front().cause, IsEmpty());
}

TEST(Comparison, StrategiesAreComparedKeyByKey) {
  EXPECT_EQ(changed_text("tp=8,pp=2,zero=1", "tp=4,pp=2,sp"),
            "tp 8 -> 4, zero 1 -> none, sp none -> yes");
  EXPECT_THAT(changed_text("tp=8", "tp=8"), IsEmpty());
  EXPECT_THAT(changed_text("", "tp=8"), IsEmpty());  // the baseline has none
}

TEST(Baseline, ReadsTheRowsOfRegressAndNothingElse) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "railyard_baseline_test.json";
  std::ofstream(file) << R"({"kind": "regress", "provenance": {"configs": {"dgx": "digest"}},
      "rows": [{"case": "a", "bytes": 1024, "time_us": 12, "ranks": 16}]})";
  const std::vector<BaselineRow> rows = read_baseline(file.string());
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].bytes, 1024);
  EXPECT_EQ(rows[0].time_us, 12);
  EXPECT_EQ(*rows[0].ranks, 16);
  EXPECT_THAT(rows[0].algorithm, IsEmpty());
  EXPECT_EQ(rows[0].configs->at("dgx"), "digest");
  for (const char* text : {R"({"kind": "sim", "rows": []})", R"({"kind": "regress"})",
                           R"({"kind": "regress", "rows": [{"case": "a"}]})"}) {
    std::ofstream(file) << text;
    try {
      (void)read_baseline(file.string());
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("railyard regress SUITE --baseline FILE --update"));
    }
  }
}

}  // namespace
}  // namespace railyard::collectives
