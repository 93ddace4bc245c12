#include <fmt/format.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <sstream>
#include <string>

#include "apps/output/report/page.hpp"
#include "apps/output/report/validation.hpp"
#include "apps/validate/validation_rows.hpp"
#include "collectives/formats/read_measured.hpp"
#include "collectives/nccl/timing/fit/read_system_map.hpp"

namespace railyard::apps {
namespace {

std::string row(const std::string& table, double bytes, double measured, double predicted) {
  return R"({"table":")" + table +
         R"(","cluster":"dgx_a100_hdr200","collective":"all_reduce","type":"float32","ranks":16,)"
         R"("nodes":2,"backend":"measured","busbw_GBps":1,"error_pct":0,"bytes":)" +
         std::to_string(bytes) + R"(,"time_us":)" + std::to_string(measured) +
         R"(,"predicted_us":)" + std::to_string(predicted) + "}";
}

/// Table A: 10 % too slow at 1 KiB, 20 % too fast at 1 MiB, 5 % too slow at 64 MiB; B: exact.
std::string validation_json() {
  return R"({"railyard":"0.1.0","kind":"validation","provenance":{"command":"railyard validate",)"
         R"("seed":0,"build":"test"},"rows":[)" +
         row("A", 1024, 10, 11) + "," + row("A", 1 << 20, 100, 80) + "," +
         row("A", 64 << 20, 1000, 1050) + "," + row("B", 1024, 20, 20) + "]}";
}

Report report_of(const std::string& text) {
  std::vector<ResultFile> files;
  files.push_back(parse_result_file("validation.json", text));
  return make_report(std::move(files));
}

pugi::xml_document parsed(const std::string& page) {
  pugi::xml_document document;
  const auto result = document.load_string(page.c_str(), pugi::parse_default | pugi::parse_doctype);
  EXPECT_TRUE(result) << result.description();
  return document;
}

std::vector<std::string> cells(const pugi::xml_node& row) {
  std::vector<std::string> texts;
  for (const pugi::xml_node& cell : row.children("td")) texts.emplace_back(cell.text().get());
  return texts;
}

// Of A: 10, 20 and 5 %, their median 10, the mean of +10, -20 and +5 -1.7; one row in each band.
TEST(ReportValidation, ListsTheErrorsOfEachTableAndOfAllRows) {
  const auto document = parsed(report_page(report_of(validation_json())));
  const auto rows = document.select_nodes("//section[@id='validation']//tbody/tr");
  ASSERT_EQ(rows.size(), 3U);
  using Row = std::vector<std::string>;
  EXPECT_EQ(cells(rows[0].node()),
            (Row{"A", "dgx_a100_hdr200", "3", "10.0", "-1.7", "10.0", "20.0", "5.0"}));
  EXPECT_EQ(cells(rows[1].node()),
            (Row{"B", "dgx_a100_hdr200", "1", "0.0", "+0.0", "0.0", "", ""}));
  // All four: 0, 5, 10, 20: median (5 + 10) / 2, below 64 KiB (0 + 10) / 2; bias -5/4.
  EXPECT_EQ(cells(rows[2].node()), (Row{"all rows", "", "4", "7.5", "-1.2", "5.0", "20.0", "5.0"}));
}

TEST(ReportValidation, DrawsAScatterAndTheCurvesOfEachTable) {
  const auto document = parsed(report_page(report_of(validation_json())));
  EXPECT_EQ(document.select_nodes("//section[@id='validation']/figure/svg").size(), 1U);
  EXPECT_EQ(document.select_nodes("//section[@id='validation']/details").size(), 2U);
  const auto curves = document.select_nodes("//section[@id='validation']/details//figure");
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_STREQ(curves[0].node().child("figcaption").text().get(), "all_reduce float32, 16 ranks");
  EXPECT_EQ(curves[0].node().select_nodes("svg/path[contains(@class, 'line')]").size(), 2U);
  // Its rows stand in no other section.
  EXPECT_TRUE(document.select_nodes("//section[@id='curves' or @id='rows']").empty());
}

// 1 us to 10 ms is four decades on 500 - 84 - 14 = 402 pixels. 100 us, predicted 80: two decades up
// from the bottom of x, 84 + 522 / 2 = 345; 416 - 402 x log10(80) / 4 = 224.7.
TEST(ReportValidation, PutsRowsWhereTheirTimesAre) {
  const std::vector<ValidationTable> tables = {
      {.name = "A",
       .cluster = "c",
       .curves = {{.label = "x",
                   .points = {{.bytes = 1 << 20, .measured_us = 100, .predicted_us = 80},
                              {.bytes = 1, .measured_us = 1.5, .predicted_us = 1.5},
                              {.bytes = 1, .measured_us = 9000, .predicted_us = 9000}}}}}};
  EXPECT_NE(validation_scatter(tables).find("d=\"M345,225h0\""), std::string::npos);
}

TEST(ReportValidation, TheShippedTablesMakeAPageBelowTwoMegabytes) {
  using namespace collectives::nccl;
  const Predictions predictions =
      predict_tables(collectives::read_measured(RAILYARD_SOURCE_DIR
                                                "/configs/validation/measured/collectives.jsonc"),
                     {.map = read_system_map("public")});
  std::ostringstream json;
  write_json({.kind = "validation",
              .provenance = {.command = "railyard validate"},
              .rows = tabulate_validation(predictions, row_errors(predictions))},
             json);
  const Report report = report_of(json.str());
  const std::string page = report_page(report);
  EXPECT_LT(page.size(), 2'000'000U);
  const auto document = parsed(page);
  EXPECT_GT(document.select_nodes("//section[@id='validation']/details").size(), 10U);
  // The report and the command have one definition of errors.
  const TableError all = table_errors(predictions, row_errors(predictions)).back();
  const auto rows = document.select_nodes("//section[@id='validation']//tbody/tr");
  const std::vector<std::string> last = cells(rows[rows.size() - 1].node());
  EXPECT_EQ(last.at(3), fmt::format("{:.1f}", all.all.median));
  EXPECT_EQ(last.at(4), fmt::format("{:+.1f}", all.all.bias));
}

}  // namespace
}  // namespace railyard::apps
