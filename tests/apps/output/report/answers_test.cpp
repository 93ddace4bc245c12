#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/output/report/chart.hpp"
#include "apps/output/report/page.hpp"
#include "apps/output/report/sections.hpp"

namespace railyard::apps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A run of one size, on a cluster of its own name.
ResultFile run_of(const std::string& routing, double time_us, const std::string& more = "") {
  return parse_result_file(
      routing + ".json",
      fmt::format(
          R"({{"railyard":"0.1.0","kind":"sim","provenance":{{"cluster":"c","nodes":"2",)"
          R"("routing":"{}"}},"rows":[{{"collective":"all_reduce","fidelity":"flow",)"
          R"("ranks":16,"bytes":1024,"time_us":{},"busbw_GBps":{},"bound_by":"x -> y"}}]{}}})",
          routing, time_us, 1000 / time_us, more));
}

std::string answers_of(std::vector<ResultFile> files) {
  return answer_section(make_report(std::move(files), ""));
}

// 12 us over 10 us: 1.2 times.
TEST(ReportAnswers, NameTheFastestAndByHowMuch) {
  EXPECT_THAT(
      answers_of({run_of("ecmp", 12), run_of("rail", 10)}),
      HasSubstr("All-reduce of 1K: rail routing is fastest (10 µs, 100 GB/s), 1.20 times as "
                "fast as ecmp routing; bound by x -&gt; y."));
}

TEST(ReportAnswers, CallEqualWhatIsEqual) {
  EXPECT_THAT(answers_of({run_of("ecmp", 10.01), run_of("rail", 10)}),
              HasSubstr("all 2 runs take the same time (10 µs, 100 GB/s)"));
  EXPECT_THAT(answers_of({run_of("rail", 10)}), HasSubstr("All-reduce of 1K: 10 µs, 100 GB/s;"));
}

// 21 s over 20 s is 5 % longer.
TEST(ReportAnswers, NameTheBestStrategyAndTheNext) {
  EXPECT_THAT(
      answers_of({parse_result_file(
          "p", R"({"railyard":"0","kind":"strategies","provenance":{"job":"gpt","cluster":"c"},)"
               R"("rows":[{"iteration_s":20,"mfu":0.5,"memory_GB":60,"bound_by":"compute",)"
               R"("strategy":"tp=8,dp=2"},{"iteration_s":21,"strategy":"tp=4,dp=4"}]})")}),
      HasSubstr("gpt on c: tp8 dp2 is the best strategy, 20 s a step, MFU 50.0 %, 60 GB per GPU; "
                "bound by compute. The next, tp4 dp4, takes 5.0 % longer."));
}

TEST(ReportAnswers, RepeatWhatACommandAnswered) {
  EXPECT_THAT(answers_of({parse_result_file(
                  "f", R"({"railyard":"0","kind":"plan_fabric","answers":["Buy it.","Or not."],)"
                       R"("rows":[{"fabric":"clos3"}]})")}),
              HasSubstr("<li><p>Buy it.</p><p>Or not.</p></li>"));
}

// 30 ms over 20 ms: 1.5 times.
TEST(ReportAnswers, CompareReplays) {
  EXPECT_THAT(answers_of({parse_result_file(
                  "r", R"({"railyard":"0","kind":"replay","rows":[{"total_us":30000}],"runs":[)"
                       R"({"cluster":"a","total_us":30000},{"cluster":"b","total_us":20000}]})")}),
              HasSubstr("b is fastest (20 ms), 1.50 times as fast as a."));
  EXPECT_THAT(answers_of({parse_result_file(
                  "r", R"({"railyard":"0","kind":"replay","provenance":{"cluster":"a"},)"
                       R"("rows":[{"total_us":30000}]})")}),
              HasSubstr("The replayed workload takes 30 ms on a."));
}

// What is not chosen is not in the answer, and neighbouring sizes of one choice are one part.
TEST(ReportAnswers, SumUpNcclsChoice) {
  EXPECT_THAT(
      answers_of({parse_result_file(
          "e", R"({"railyard":"0","kind":"explain","provenance":{"cluster":"c"},"rows":[)"
               R"({"collective":"all_reduce","bytes":1024,"algorithm":"tree","protocol":"ll",)"
               R"("chosen":true},)"
               R"({"collective":"all_reduce","bytes":1024,"algorithm":"ring","protocol":"ll",)"
               R"("chosen":false},)"
               R"({"collective":"all_reduce","bytes":4096,"algorithm":"tree","protocol":"ll",)"
               R"("chosen":true},)"
               R"({"collective":"all_reduce","bytes":1048576,"algorithm":"ring",)"
               R"("protocol":"simple","chosen":true}]})")}),
      HasSubstr("All-reduce on c: NCCL chooses tree ll up to 4K, ring simple up to 1M."));
}

TEST(ReportAnswers, CountWhatTheGateFound) {
  EXPECT_THAT(answers_of({parse_result_file(
                  "r", R"({"railyard":"0","kind":"regress_comparison","rows":[)"
                       R"({"verdict":"slower"},{"verdict":"same"},{"verdict":"slower"}]})")}),
              HasSubstr("Regression gate: 2 slower of 3 rows."));
}

// The second line is dashed over the first, and the legend says so.
TEST(ReportChart, TellsLinesApartThatCoincide) {
  const Report same = make_report({run_of("ecmp", 10), run_of("rail", 10)}, "");
  EXPECT_THAT(
      chart_svg(same.charts.front(), ChartValue::time),
      AllOf(HasSubstr("class=\"line on-top\""), HasSubstr("rail routing (same as ecmp routing)")));
  const Report other = make_report({run_of("ecmp", 10), run_of("rail", 20)}, "");
  EXPECT_THAT(chart_svg(other.charts.front(), ChartValue::time), Not(HasSubstr("same as")));
}

// A long legend is cut at spaces into lines that fit.
TEST(ReportChart, WrapsLongLegends) {
  const std::string long_name =
      "a very long name of a routing policy that goes on and on until it "
      "would be cut off at the right edge of the chart";
  const Report report = make_report({run_of(long_name, 10), run_of("rail", 20)}, "");
  const std::string svg = chart_svg(report.charts.front(), ChartValue::time);
  EXPECT_THAT(svg, AllOf(HasSubstr(">a very long name"), HasSubstr(" chart routing</text>"),
                         Not(HasSubstr(long_name + " routing</text>"))));
}

// What a prediction is wrong by differs from size to size: it is a result, not a variable.
TEST(ReportCurves, OneLiveRunIsOneCurve) {
  const ResultFile file = parse_result_file(
      "b", R"({"railyard":"0","kind":"bench","rows":[)"
           R"({"collective":"all_reduce","backend":"local","bytes":1024,"time_us":10,)"
           R"("busbw_GBps":1,"error_term":"latency"},)"
           R"({"collective":"all_reduce","backend":"local","bytes":2048,"time_us":11,)"
           R"("busbw_GBps":2,"error_term":"bandwidth"}]})");
  const Report report = make_report({file}, "");
  ASSERT_EQ(report.charts.size(), 1u);
  EXPECT_EQ(report.charts.front().curves.size(), 1u);
}

// The larger direction of a cable is its shade; other rows' cables are not the run's.
TEST(ReportLoads, KeepTheLoadOfEachCable) {
  const Report report = make_report(
      {run_of("rail", 10,
              R"(,"links":[{"row":0,"tier":"port","direction":"up","links":1,"max_utilisation":1,)"
              R"("mean_utilisation":1}],"cables":[{"row":0,"cable":"a -- b","up":0.25,"down":0.5},)"
              R"({"row":1,"cable":"a -- c","up":1,"down":1}])")},
      "");
  ASSERT_EQ(report.loads.size(), 1u);
  EXPECT_EQ(report.loads[0].cluster, "c");
  EXPECT_EQ(report.loads[0].nodes, 2);
  ASSERT_EQ(report.loads[0].cables.size(), 1u);
  EXPECT_EQ(report.loads[0].cables[0].cable, "a -- b");
  EXPECT_EQ(report.loads[0].cables[0].utilisation, 0.5);
}

}  // namespace
}  // namespace railyard::apps
