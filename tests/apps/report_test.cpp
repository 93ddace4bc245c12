#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "apps/output/report/chart.hpp"
#include "apps/output/report/page.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

/// A simulated run of two sizes and its link loads; `facts` goes into the provenance.
std::string sim_json(const std::string& facts,
                     const std::string& bound_by = "pod0/leaf1 -> pod0/spine3") {
  const std::string row =
      R"("collective":"all_reduce","algorithm":"ring","protocol":"simple","channels":8,)"
      R"("fidelity":"flow","ranks":16,"nodes":2,"algbw_GBps":1,"seed":1,"bound_by":")" +
      bound_by + "\"";
  return R"({"railyard":"0.1.0","kind":"sim","provenance":{"command":"railyard sim",)" + facts +
         R"("seed":1,"build":"test"},"rows":[)"
         "{" +
         row +
         R"(,"bytes":1024,"time_us":10.5,"busbw_GBps":25},)"
         "{" +
         row +
         R"(,"bytes":4096,"time_us":11.25,"busbw_GBps":100}],)"
         R"("links":[{"row":1,"tier":"leaf-spine","direction":"up","pod":null,"links":8,)"
         R"("max_utilisation":0.97,)"
         R"("mean_utilisation":0.5,"busiest":"pod0/leaf1 -> pod0/spine3"},)"
         R"({"row":1,"tier":"leaf-spine","direction":"down","links":8,"max_utilisation":0.4,)"
         R"("mean_utilisation":0.3}]})";
}

Report report_of(const std::vector<std::string>& texts) {
  std::vector<ResultFile> files;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    files.push_back(parse_result_file("run" + std::to_string(i) + ".json", texts[i]));
  }
  return make_report(std::move(files));
}

pugi::xml_document parsed(const std::string& page) {
  pugi::xml_document document;
  const auto result = document.load_string(page.c_str(), pugi::parse_default | pugi::parse_doctype);
  EXPECT_TRUE(result) << result.description() << " at "
                      << page.substr(static_cast<std::size_t>(result.offset), 80);
  return document;
}

std::string read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(ReportPage, IsWellFormedAndHasItsSections) {
  const auto document = parsed(report_page(report_of({sim_json("\"cluster\":\"a.json\",")})));
  EXPECT_STREQ(document.select_node("/html/head/title").node().text().get(), "Railyard: a");
  for (const char* id : {"fabric", "curves", "rows", "provenance"}) {
    EXPECT_TRUE(document.select_node(("//section[@id='" + std::string(id) + "']").c_str())) << id;
  }
}

// 100 KB are the deepest queue, so 50 KB are in the third fifth from below; the only pause is the
// longest one. Ports without a pause are in the map of pauses too.
TEST(ReportPage, DrawsQueuesPausesAndVictimsOfPacketSimulations) {
  const std::string json =
      R"({"railyard":"0.1.0","kind":"traffic","provenance":{"command":"railyard sim"},)"
      R"("rows":[{"traffic":"incast","time_us":10}],"ports":[)"
      R"({"tier":"leaf -> nic","port":"leaf0 -> nic0","max_queue_KB":100,"paused_pct":0},)"
      R"({"tier":"nic -> leaf","port":"nic1 -> leaf0","max_queue_KB":50,"paused_pct":20}],)"
      R"("victims":[{"source":3,"destination":1,"bytes":1048576,"fct_us":197.9,"slowdown":8.1,)"
      R"("class":0,"waited_at":"nic1 -> leaf0","waited_for":"leaf0 -> nic0","connections":8}]})";
  const auto document = parsed(report_page(report_of({json})));
  const auto count = [&](const char* path) { return document.select_nodes(path).size(); };
  EXPECT_EQ(count("//section[@id='packets']//div[@class='heat']"), 2U);
  EXPECT_EQ(count("//i[@class='l5' and @title='leaf0 -> nic0: 100 KB']"), 1U);
  EXPECT_EQ(count("//i[@class='l3' and @title='nic1 -> leaf0: 50 KB']"), 1U);
  EXPECT_EQ(count("//i[@class='l0' and @title='leaf0 -> nic0: 0 %']"), 1U);
  EXPECT_EQ(count("//i[@class='l5' and @title='nic1 -> leaf0: 20 %']"), 1U);
  EXPECT_EQ(count("//section[@id='packets']//td[text()='rank 3 to 1']"), 1U);
  EXPECT_EQ(count("//section[@id='packets']//td[text()='leaf0 -> nic0 (8 connections)']"), 1U);
}

TEST(ReportPage, LoadsNothingFromAnywhere) {
  const std::string page = report_page(report_of({sim_json("")}));
  for (const char* loader :
       {"http://", "https://", "url(", "@import", "src=", "href=", "fetch(", "import("}) {
    EXPECT_EQ(page.find(loader), std::string::npos) << loader;
  }
}

TEST(ReportPage, ShowsEveryRowOfEveryFile) {
  const auto document =
      parsed(report_page(report_of({sim_json(""), sim_json("\"routing\":\"ecmp\",")})));
  const auto tables = document.select_nodes("//section[@id='rows']//table");
  ASSERT_EQ(tables.size(), 2U);
  for (const auto& table : tables) {
    EXPECT_EQ(table.node().select_nodes("tbody/tr").size(), 2U);
    EXPECT_TRUE(table.node().select_node("tbody/tr/td[@data-value='11.25']"));
  }
}

TEST(ReportPage, EscapesHostileNames) {
  const std::string hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>&\\\"'";
  const std::string page =
      report_page(report_of({sim_json("\"cluster\":\"" + hostile + "\",", hostile)}));
  const auto document = parsed(page);
  // The page's own two: loads as JSON, and the script.
  EXPECT_EQ(document.select_nodes("//script").size(), 2U);
  EXPECT_EQ(document.select_nodes("//img").size(), 0U);
  std::size_t scripts = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos;
       at = page.find("<script", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2U);
  EXPECT_EQ(page.find("</script><img"), std::string::npos);
}

TEST(ReportPage, LoadTableNamesTheBusiestLink) {
  const auto document = parsed(report_page(report_of({sim_json("")})));
  const auto cell =
      document.select_node("//td[@title='busiest: pod0/leaf1 -> pod0/spine3']").node();
  EXPECT_STREQ(cell.attribute("class").value(), "num load b5");  // 0.97: from 95 % on
  EXPECT_STREQ(cell.text().get(), "97 %");
}

TEST(ReportPage, RegressFindingsComeFirst) {
  const auto document = parsed(report_page(report_of({R"({"kind":"regress_comparison",
           "rows":[{"case":"a","verdict":"same"},{"case":"b","verdict":"slower"}]})"})));
  EXPECT_EQ(document.select_nodes("//section[@id='findings']//tr[@class='finding']").size(), 1U);
  EXPECT_STREQ(document.select_node("//section").node().attribute("id").value(), "findings");
}

/// Two strategies, the second without a simulated time; a stage with two events, and two ranks.
std::string place_json() {
  return R"({"railyard":"0.1.0","kind":"strategies","provenance":{"command":"railyard place",)"
         R"("job":"gpt",)"
         R"("cluster":"small"},"rows":[)"
         R"({"iteration_s":10,"simulated_s":12,"compute_s":8,"tp_comm_s":2,"dp_comm_s":0,)"
         R"("mfu":0.5,)"
         R"("bound_by":"compute","strategy":"tp=2,dp=4"},)"
         R"({"iteration_s":20,"simulated_s":null,"compute_s":15,"tp_comm_s":5,"dp_comm_s":0,)"
         R"("mfu":0.25,)"
         R"("bound_by":"compute","strategy":"dp=8"
}],)"
         R"("timeline":[{"stage":0,"stream":"compute","what":"F","micro_batch":0,"begin_us":0,)"
         R"("end_us":40},)"
         R"({"stage":1,"stream":"communication","what":"tp","micro_batch":0,"begin_us":40,)"
         R"("end_us":80}],)"
         R"("ranks":[{"rank":0,"tp":0,"cp":0,"ep":0,"dp":0,"pp":0,"node":3,"gpu":1},)"
         R"({"rank":1,"tp":1,"cp":0,"ep":0,"dp":0,"pp":1,"node":4,"gpu":0}]})";
}

// Bars are as wide as their column for the longest time, here the 20 s: 8 s of compute are 40 %.
TEST(ReportPlacement, StepsAreBarsOfTheirParts) {
  const std::string page = report_page(report_of({place_json()}));
  EXPECT_TRUE(pugi::xml_document().load_string(page.c_str()));
  EXPECT_NE(page.find("width:40%"), std::string::npos);
  EXPECT_NE(page.find("simulated 12 s, MFU 50.0 %"), std::string::npos);
  EXPECT_EQ(page.find("data parallel: "), std::string::npos);  // takes no time
}

// 910 units for 80 us: the second event begins in the middle, in the row of stage 1, below compute.
TEST(ReportPlacement, TheTimelineIsToScale) {
  const std::string page = report_page(report_of({place_json()}));
  EXPECT_NE(page.find(R"(x="545" y="38" width="455")"), std::string::npos);
  EXPECT_NE(page.find("2 stages"), std::string::npos);
}

// Two classes of replicas with a stage each are two rows: 28 units apart.
TEST(ReportPlacement, EveryClassOfReplicasHasItsRows) {
  const std::string page = report_page(report_of(
      {R"({"railyard":"0.1.0","kind":"strategies","rows":[{"iteration_s":10,"compute_s":8,)"
       R"("strategy":"dp=2"}],)"
       R"("timeline":[{"pipeline":0,"stage":0,"stream":"compute","what":"F","micro_batch":0,)"
       R"("begin_us":0,"end_us":40},)"
       R"({"pipeline":1,"stage":0,"stream":"compute","what":"F","micro_batch":0,"begin_us":40,)"
       R"("end_us":80}]})"}));
  EXPECT_NE(page.find("1: stage 0"), std::string::npos);
  EXPECT_NE(page.find(R"(x="545" y="29" width="455")"), std::string::npos);
}

TEST(ReportPlacement, EveryRankIsACellOfItsNode) {
  const std::string page = report_page(report_of({place_json()}));
  EXPECT_NE(page.find("rank 0 on node 3 GPU 1: tp 0, cp 0, ep 0, dp 0, stage 0"),
            std::string::npos);
  EXPECT_NE(page.find("rank 1 on node 4 GPU 0"), std::string::npos);
  EXPECT_EQ(report_page(report_of({sim_json("")})).find("id=\"placement\""), std::string::npos);
}

TEST(ReportInput, NamesTheRowOfASectionThatIsWrong) {
  EXPECT_THROW((void)parse_result_file("x", R"({"kind":"strategies","rows":[],"ranks":[3]})"),
               InputError);
}

TEST(ReportCurves, FilesThatDifferInOneFactAreTwoCurvesOfOneChart) {
  const auto report =
      report_of({sim_json("\"routing\":\"rail\","), sim_json("\"routing\":\"ecmp\",")});
  ASSERT_EQ(report.charts.size(), 1U);
  ASSERT_EQ(report.charts[0].curves.size(), 2U);
  EXPECT_EQ(report.charts[0].curves[0].label, "rail routing");
  EXPECT_EQ(report.charts[0].curves[1].label, "ecmp routing");
  EXPECT_EQ(report.charts[0].common, "2 nodes, 16 ranks, ring, simple, 8 channels, flow");
}

TEST(ReportCurves, FilesThatDifferInNothingAreToldApartByName) {
  const auto report = report_of({sim_json(""), sim_json("")});
  ASSERT_EQ(report.charts[0].curves.size(), 2U);
  EXPECT_EQ(report.charts[0].curves[1].label, "run1");
}

/// Two sizes, each with the algorithms given.
std::string choices_json(const std::vector<std::pair<int, std::string>>& rows) {
  std::string text;
  for (const auto& [bytes, algorithm] : rows) {
    text += (text.empty() ? "" : ",") + std::string(R"({"collective":"all_reduce","algorithm":")") +
            algorithm + R"(","bytes":)" + std::to_string(bytes) + R"(,"time_us":2,"busbw_GBps":1})";
  }
  return R"({"kind":"sim","rows":[)" + text + "]}";
}

TEST(ReportCurves, WhatWasChosenPerSizeDoesNotSplitACurve) {
  const auto report = report_of({choices_json({{1024, "tree"}, {2048, "ring"}})});
  ASSERT_EQ(report.charts[0].curves.size(), 1U);
  EXPECT_EQ(report.charts[0].curves[0].points[0].chosen, "tree");
}

TEST(ReportCurves, WhatWasComparedPerSizeDoes) {
  const auto report =
      report_of({choices_json({{1024, "tree"}, {1024, "ring"}, {2048, "tree"}, {2048, "ring"}})});
  ASSERT_EQ(report.charts[0].curves.size(), 2U);
  EXPECT_EQ(report.charts[0].curves[0].label, "tree");
  EXPECT_EQ(report.charts[0].curves[0].points.size(), 2U);
}

// An acceptance test has another limit, skew and range at each size: outcomes, not variables.
TEST(ReportCurves, OutcomesOfAnAcceptanceTestDoNotSplitACurve) {
  const auto row = [](int bytes, int limit, const char* accepted) {
    return R"({"collective":"all_reduce","backend":"local","time_us":2,"busbw_GBps":6,"bytes":)" +
           std::to_string(bytes) + R"(,"limit_us":)" + std::to_string(limit) + R"(,"skew_us":)" +
           std::to_string(limit) + R"(,"range_pct":)" + std::to_string(limit) + R"(,"accepted":)" +
           accepted + "}";
  };
  const auto report = report_of({R"({"kind":"acceptance","rows":[)" + row(1024, 3, "true") + "," +
                                 row(2048, 4, "false") + "]}"});
  ASSERT_EQ(report.charts.size(), 1U);
  ASSERT_EQ(report.charts[0].curves.size(), 1U);
  EXPECT_EQ(report.charts[0].curves[0].points.size(), 2U);
}

TEST(ReportCurves, LiveRunsHaveTheirOwnChartWithPredictionsBeside) {
  const auto report = report_of(
      {choices_json({{1024, "ring"}}),
       R"({"kind":"bench","rows":[{"collective":"all_reduce","backend":"local","bytes":1024,)"
       R"("time_us":2,)"
       R"("busbw_GBps":6,"predicted_us":3}]})"});
  ASSERT_EQ(report.charts.size(), 2U);
  EXPECT_TRUE(report.charts[1].is_live);
  // 6 GB/s in 2 us would be 4 GB/s in 3 us.
  EXPECT_DOUBLE_EQ(*report.charts[1].curves[0].points[0].predicted_busbw_GBps(), 4.0);
  EXPECT_NE(report_page(report).find("1 predictions; error against measured time: median 50 %"),
            std::string::npos);
}

TEST(ReportChart, PutsPointsWhereTheAxesSay) {
  CurveChart chart{"all_reduce", false, "", {{"ring", {}}}};
  for (const auto& [bytes, busbw] : {std::pair(1024.0, 0.0), {2048.0, 50.0}, {4096.0, 100.0}}) {
    chart.curves[0].points.push_back({0, 0, bytes, 1, busbw, {}, "", ""});
  }
  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_string(chart_svg(chart, ChartValue::busbw).c_str()));
  const auto points = svg.select_nodes("//path[@data-x]");
  ASSERT_EQ(points.size(), 3U);
  // The plot spans 62..622 across and 284 (0 GB/s) to 14 (100 GB/s) down: 2048 is half-way in log2.
  EXPECT_DOUBLE_EQ(points[0].node().attribute("data-x").as_double(), 62);
  EXPECT_DOUBLE_EQ(points[0].node().attribute("data-y").as_double(), 284);
  EXPECT_DOUBLE_EQ(points[1].node().attribute("data-x").as_double(), 342);
  EXPECT_DOUBLE_EQ(points[1].node().attribute("data-y").as_double(), 149);
  EXPECT_DOUBLE_EQ(points[2].node().attribute("data-x").as_double(), 622);
  EXPECT_DOUBLE_EQ(points[2].node().attribute("data-y").as_double(), 14);
}

TEST(ReportChart, IsAsTheGoldenFileHasIt) {
  const auto report =
      report_of({sim_json("\"routing\":\"rail\","), sim_json("\"routing\":\"ecmp\",")});
  const std::string svg = chart_svg(report.charts[0], ChartValue::busbw);
  const std::string path = std::string(RAILYARD_SOURCE_DIR) + "/tests/apps/golden/report_chart.svg";
  if (std::getenv("RAILYARD_UPDATE_GOLDEN") != nullptr)
    std::ofstream(path, std::ios::binary) << svg;
  EXPECT_EQ(svg, read(path)) << "RAILYARD_UPDATE_GOLDEN=1 writes it again";
}

TEST(ReportInput, RefusesWhatIsNoResultFile) {
  EXPECT_THROW((void)parse_result_file("a.json", "{"), InputError);
  EXPECT_THROW((void)parse_result_file("a.json", "{}"), InputError);
  EXPECT_THROW((void)parse_result_file("a.json", "[]"), InputError);
  EXPECT_THROW((void)parse_result_file("a.json", R"({"rows":[1]})"), InputError);
  EXPECT_THROW((void)read_result_file("/no/such/file.json"), InputError);
}

TEST(ReportInput, NamesEveryLinkEntryThatIsWrong) {
  try {
    (void)parse_result_file("a.json", R"({"rows":[{}],"links":[{"row":1,"tier":"pcie","links":1,)"
                                      R"("max_utilisation":-1,"mean_utilisation":0},7]})");
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 3U);
    EXPECT_EQ(error.diagnostics()[0].pointer, "/links/0/row");
    EXPECT_EQ(error.diagnostics()[1].pointer, "/links/0/max_utilisation");
    EXPECT_EQ(error.diagnostics()[2].pointer, "/links/1");
  }
}

TEST(ReportPage, ShowsATrainingPlan) {
  const std::string plan =
      R"({"railyard":"0.2.0","kind":"plan_train","provenance":{"command":"railyard plan train",)"
      R"("currency":"USD","chosen":"64 GPUs of small","seed":1,"build":"test"},"rows":[)"
      R"({"cluster":"small","gpus":64,"days":40,"days_low":39,"days_high":44,"cost":1000,)"
      R"("goodput":0.95,"energy_MWh":10,"pick":"cheapest"},)"
      R"({"cluster":"small","gpus":128,"days":25,"cost":1300,"goodput":0.9,"energy_MWh":12,)"
      R"("pick":"fastest"}],)"
      R"("scaling":[{"cluster":"small","gpus":64,"strong_efficiency":1},)"
      R"({"cluster":"small","gpus":128,"strong_efficiency":0.7,"strong_limit":"communication"}],)"
      R"("time":[{"part":"training","hours":900},{"part":"gpu","hours":30}],)"
      R"("what_helps":[{"change":"twice the NIC rate","day_change":-3}]})";
  const std::string page = report_page(report_of({plan}));
  (void)parsed(page);
  EXPECT_NE(page.find("id=\"plan\""), std::string::npos);
  EXPECT_NE(page.find("Days and cost, USD"), std::string::npos);
  EXPECT_NE(page.find("wall: communication"), std::string::npos);
  EXPECT_NE(page.find("twice the NIC rate"), std::string::npos);
  // 64 GPUs take 40 days and 128 take 25. The axis ends at its last tick, 40, at 720 - 120 = 600;
  // 70 + 25 / 40 · 530 = 401.25.
  EXPECT_NE(page.find("cx=\"600\""), std::string::npos);
  EXPECT_NE(page.find("cx=\"401.25\""), std::string::npos);
  // Waterfall: 930 h, of which gpu takes the last 30, and 900 are left. The 30 h fill two thirds of
  // the width, so the scale begins at 930 - 45 = 885 h.
  EXPECT_NE(page.find("The scale begins at 885 h."), std::string::npos);
  EXPECT_NE(page.find("margin-left:33.33%;width:66.67%"), std::string::npos);
  EXPECT_NE(page.find("margin-left:0%;width:33.33%"), std::string::npos);
  // Tornado: the only change fills the left half.
  EXPECT_NE(page.find("margin-left:0%;width:50%"), std::string::npos);
  // Each bar has the three cells of a line of the grid.
  const auto count = [&](std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("<div class=\"bar\">"), count("<div class=\"label\">"));
  EXPECT_EQ(count("<div class=\"bar\">"), count("<div class=\"value\">"));
}

TEST(ReportPage, ShowsAServingPlan) {
  const std::string plan =
      R"({"railyard":"0.2.0","kind":"plan_serve","provenance":{"command":"railyard plan serve",)"
      R"("answer":"The cheapest deployment is small.","seed":1,"build":"test"},"rows":[)"
      R"({"cluster":"small","gpus":8,"tp":2}],)"
      R"("pareto":[{"split":"tp 1","tokens_per_s_per_user":20,"tokens_per_s_per_gpu":4000},)"
      R"({"split":"tp 2","tokens_per_s_per_user":90,"tokens_per_s_per_gpu":900}],)"
      R"("load_sweep":[)"
      R"({"requests_per_s":10,"ttft_ms":50,"tpot_ms":5,)"
      R"("ttft_p50_ms":40,"tpot_p50_ms":4,"knee":false},)"
      R"({"requests_per_s":20,"ttft_ms":90,"tpot_ms":7,)"
      R"("ttft_p50_ms":60,"tpot_p50_ms":5,"knee":true},)"
      R"({"requests_per_s":30,"ttft_ms":900,"tpot_ms":9,)"
      R"("ttft_p50_ms":80,"tpot_p50_ms":6,"knee":false}],)"
      R"("latency":[{"quantity":"ttft","share_pct":50,"ms":40},)"
      R"({"quantity":"ttft","share_pct":99,"ms":90}],)"
      R"("steps":[{"step":"decode","part":"host","ms":1,"share_pct":25},)"
      R"({"step":"decode","part":"linear","ms":3,"share_pct":75}]})";
  const std::string page = report_page(report_of({plan}));
  (void)parsed(page);
  EXPECT_NE(page.find("id=\"serving\""), std::string::npos);
  EXPECT_NE(page.find("The cheapest deployment is small."), std::string::npos);
  EXPECT_NE(page.find("Throughput per GPU and speed per user"), std::string::npos);
  EXPECT_NE(page.find("tokens/s per user 90, tokens/s per GPU 900"), std::string::npos);
  EXPECT_NE(page.find("The knee is at 20"), std::string::npos);
  EXPECT_NE(page.find(">knee<"), std::string::npos);
  EXPECT_NE(page.find("Time to first token by request"), std::string::npos);
  EXPECT_EQ(page.find("Latency by request"), std::string::npos);
  EXPECT_NE(page.find("Parts of a step: decode"), std::string::npos);
  EXPECT_NE(page.find("3 ms, 75 %"), std::string::npos);
}

TEST(ReportPage, ShowsTheFabricToBuyWithItsBill) {
  const std::string plan =
      R"({"railyard":"0.2.0","kind":"plan_fabric","provenance":{"command":"railyard plan fabric",)"
      R"("currency":"USD","seed":1,"build":"test"},"rows":[)"
      R"({"fabric":"clos3","oversubscription":1,"buy":false,"price":200,"power_kW":4,"step_s":2,)"
      R"("spine_failed_s":2.1,"leaf_cuts_off_nodes":4},)"
      R"({"fabric":"fat_tree","oversubscription":1,"buy":false,"most_gpus":512},)"
      R"({"fabric":"rail_only","oversubscription":1,"buy":true,"price":100,"price_low":90,)"
      R"("price_high":120,"power_kW":2}],)"
      R"("bill":[{"part":"switch","tier":"leaf","item":"switch/x","count":3,"price":60,)"
      R"("power_kW":1.5},{"part":"cable","item":"fibre","count":9,"price":40,"power_kW":0}]})";
  const std::string page = report_page(report_of({plan}));
  (void)parsed(page);
  EXPECT_NE(page.find("id=\"fabric-plan\""), std::string::npos);
  EXPECT_NE(page.find("rail_only, 1:1"), std::string::npos);
  EXPECT_NE(page.find("$100 ($90 to $120), buy"), std::string::npos);
  EXPECT_NE(page.find(R"(<tr class="best"><td>rail_only, 1:1: buy</td><td>$100</td>)"),
            std::string::npos);
  EXPECT_NE(page.find("cannot be built: at most 512 GPUs"), std::string::npos);
  // 2.1 s over 2 s.
  EXPECT_NE(page.find("<td>+5.0 %</td><td>stops, 4 nodes cut off</td>"), std::string::npos);
  EXPECT_NE(page.find("switch/x, leaf"), std::string::npos);
  EXPECT_NE(page.find("$60, 3 pieces"), std::string::npos);
  // 40 of 60: two thirds.
  EXPECT_NE(page.find("margin-left:0%;width:66.67%"), std::string::npos);
}

TEST(ReportPage, DrawsThePivotOfASweep) {
  const std::string numbers =
      R"({"railyard":"0.2.0","kind":"pivot","provenance":{"command":"railyard sweep show",)"
      R"("swept":"sim","pivot":"time_us","seed":1,"build":"test"},"rows":[)"
      R"({"nodes":2,"routing=rail":100,"routing=ecmp":110},)"
      R"({"nodes":4,"routing=rail":50,"routing=ecmp":60}]})";
  const std::string page = report_page(report_of({numbers}));
  (void)parsed(page);
  EXPECT_NE(page.find("time_us by nodes"), std::string::npos);
  EXPECT_NE(page.find("routing=ecmp"), std::string::npos);
  // Axes end at ticks. x from 0 to 4 over 530 pixels: 70 + 2 / 4 · 530 = 335. y from 0 to 120 in
  // steps of 20: 274 - 100 / 120 · 260 = 57.33.
  EXPECT_NE(page.find("335,57.33"), std::string::npos);
  const std::string names =
      R"({"railyard":"0.2.0","kind":"pivot","provenance":{"command":"railyard sweep show",)"
      R"("swept":"sim","pivot":"time_us","seed":1,"build":"test"},"rows":[)"
      R"({"cluster":"a","routing=rail":100},{"cluster":"b","routing=rail":50}]})";
  const std::string bars = report_page(report_of({names}));
  (void)parsed(bars);
  EXPECT_NE(bars.find("b, routing=rail"), std::string::npos);
  EXPECT_NE(bars.find("margin-left:0%;width:50%"), std::string::npos);
}

}  // namespace
}  // namespace railyard::apps
