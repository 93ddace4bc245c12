#include "apps/output/rows.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "apps/output/collective_rows.hpp"

namespace railyard::apps {
namespace {

std::string joined(std::span<const Column<collectives::Measurement>> columns) {
  std::string text;
  for (const auto& column : columns) text += (text.empty() ? "" : ",") + std::string(column.name);
  return text;
}

// DESIGN section 7 lists the columns; other programs read them by name and order.
TEST(Rows, CollectiveColumnsAreThoseOfTheDesign) {
  const std::string shared = "ranks,nodes,bytes,time_us,algbw_GBps,busbw_GBps,bound_by,seed";
  EXPECT_EQ(joined(collective_columns()),
            "collective,algorithm,protocol,channels,fidelity," + shared);
  EXPECT_EQ(joined(bench_columns()), "collective,algorithm,protocol,channels,backend," + shared +
                                         ",min_us,p50_us,p99_us,wrong,predicted_us,error_pct,"
                                         "error_term,skew_us,in_place");
}

RowTable small_table() {
  return {.columns = {{"name", {}},
                      {"bytes", {.is_size = true}},
                      {"time", {.decimals = 1}},
                      {"seed", {.joins_heading = true}},
                      {"none", {}}},
          .rows = {{std::string("a,\"b\""), std::int64_t{8192}, 1.25, std::int64_t{7}, RowValue()},
                   {std::string("c"), std::int64_t{1000}, 100.0, std::int64_t{7}, RowValue()}}};
}

TEST(Rows, ATableMayHaveAColumnEarlierThanCsv) {
  RowTable table = small_table();
  table.columns[2].style.before = "bytes";
  std::ostringstream text, csv;
  write_table(table, text);
  write_csv(table, csv);
  EXPECT_NE(text.str().find("name    time  bytes\n"), std::string::npos) << text.str();
  EXPECT_TRUE(csv.str().starts_with("name,bytes,time,seed,none\n"));
}

TEST(Rows, CsvQuotesWhatItMust) {
  std::ostringstream out;
  write_csv(small_table(), out);
  EXPECT_EQ(out.str(), "name,bytes,time,seed,none\n\"a,\"\"b\"\"\",8192,1.25,7,\nc,1000,100,7,\n");
}

TEST(Rows, TablesAlignSayOnceWhatIsSharedAndLeaveOutWhatIsEmpty) {
  std::ostringstream out;
  write_table(small_table(), out);
  EXPECT_EQ(out.str(),
            "# seed 7\n"
            "name   bytes   time\n"
            "a,\"b\"     8K    1.2\n"
            "c       1000  100.0\n");
}

TEST(Rows, JsonKeepsOrderNullsAndProvenance) {
  std::ostringstream out;
  write_json({.kind = "test",
              .provenance = {.command = "railyard test",
                             .facts = {{"cluster", "x"}},
                             .configs = {{"x", "1"}},
                             .seed = 3},
              .rows = small_table(),
              .sections = {{"links", {}}}},
             out);
  const auto json = nlohmann::ordered_json::parse(out.str());
  EXPECT_EQ(json["kind"], "test");
  EXPECT_EQ(json["provenance"]["seed"], 3);
  EXPECT_EQ(json["provenance"]["configs"]["x"], "1");
  EXPECT_FALSE(json.contains("links"));  // no rows
  EXPECT_EQ(json["rows"][0].dump(),
            R"({"name":"a,\"b\"","bytes":8192,"time":1.25,"seed":7,"none":null})");
}

}  // namespace
}  // namespace railyard::apps
