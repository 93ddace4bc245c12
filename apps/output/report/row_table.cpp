#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "apps/output/report/sections.hpp"
#include "apps/output/report/validation.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

// Words of a verdict column that are highlighted (regress).
constexpr std::array<std::string_view, 4> kAlarms = {"slower", "faster", "new", "missing"};

// Tables with more rows than this are folded on the screen, but printed.
constexpr std::size_t kOpenRows = 30;

/// Whether a file is a comparison of `railyard regress`. Its baselines are ordinary rows.
bool is_comparison(const ResultFile& file) { return file.kind == "regress_comparison"; }

bool is_alarm(const ResultFile& file, std::size_t row) {
  return std::find(kAlarms.begin(), kAlarms.end(), file.text(row, "verdict")) != kAlarms.end();
}

/// Whether a file has several rows, all with the same value in a column.
bool is_constant(const ResultFile& file, std::size_t column) {
  return file.rows.size() > 1 &&
         std::all_of(file.rows.begin(), file.rows.end(), [&](const auto& row) {
           return row[column].text == file.rows.front()[column].text;
         });
}

std::string shown(const std::string& column, const Cell& cell) {
  if (!cell.number) return cell.text;
  if (column == "bytes") return size_label(*cell.number);
  return cell.text.find_first_of(".eE") == std::string::npos ? cell.text : reading(*cell.number);
}

void table_cell(Markup& html, const std::string& column, const Cell& cell) {
  if (!cell.number) {
    html.element("td", {}, cell.text);
    return;
  }
  html.element("td", {{"class", "num"}, {"data-value", cell.text}, {"title", cell.text}},
               shown(column, cell));
}

void table(Markup& html, const ResultFile& file) {
  std::vector<std::size_t> varying;
  std::string same;
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    if (!is_constant(file, i)) {
      varying.push_back(i);
    } else if (!file.rows.front()[i].text.empty()) {
      same += fmt::format("{}{} {}", same.empty() ? "In all rows: " : ", ", file.columns[i],
                          shown(file.columns[i], file.rows.front()[i]));
    }
  }
  html.open("div", {{"class", "scroll"}}).open("table", {{"class", "sortable"}});
  if (!same.empty()) html.element("caption", {}, same + ".");
  html.open("thead").open("tr");
  for (const std::size_t i : varying) {
    const bool number = std::any_of(file.rows.begin(), file.rows.end(),
                                    [&](const auto& row) { return row[i].number; });
    html.element("th", {{"class", number ? "num" : ""}}, file.columns[i]);
  }
  html.close().close().newline().open("tbody").newline();
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    html.open("tr", {{"class", is_alarm(file, row) ? "finding" : ""}});
    for (const std::size_t i : varying) table_cell(html, file.columns[i], file.rows[row][i]);
    html.close().newline();
  }
  html.close().close().close().newline();
}

std::string heading(const ResultFile& file) {
  return fmt::format("{}{}", file.path, file.kind.empty() ? "" : ": " + file.kind);
}

}  // namespace

std::string finding_section(const Report& report) {
  Markup html;
  for (const ResultFile& file : report.files) {
    if (!is_comparison(file)) continue;
    std::size_t alarms = 0;
    for (std::size_t row = 0; row < file.rows.size(); ++row)
      alarms += is_alarm(file, row) ? 1U : 0U;
    html.element("p", {},
                 fmt::format("{}: {} of {} rows changed by more than their tolerance.", file.path,
                             alarms, file.rows.size()));
    table(html, file);
  }
  return section("findings", "Regression gate", html);
}

std::string row_section(const Report& report) {
  if (std::all_of(report.files.begin(), report.files.end(), is_validation)) return {};
  Markup html;
  html.open("section", {{"id", "rows"}}).element("h2", {}, "All rows");
  html.element("p", {{"class", "muted"}},
               "Click a heading to sort. GB is 1e9 bytes; sizes are powers of two.")
      .newline();
  for (const ResultFile& file : report.files) {
    if (is_comparison(file) || is_validation(file)) continue;
    html.raw(file.rows.size() > kOpenRows ? "<details>" : "<details open=\"open\">");
    html.element("summary", {}, fmt::format("{}, {} rows", heading(file), file.rows.size()));
    table(html, file);
    html.raw("</details>").newline();
  }
  html.close().newline();
  return html.str();
}

std::string provenance_section(const Report& report) {
  Markup html;
  html.open("section", {{"id", "provenance"}}).element("h2", {}, "Provenance").newline();
  for (const ResultFile& file : report.files) {
    html.element("h3", {}, heading(file)).open("dl");
    html.element("dt", {}, "railyard")
        .element("dd", {}, file.version.empty() ? "not said" : file.version);
    for (const auto& [key, value] : file.provenance) {
      html.element("dt", {}, key).open("dd").element("code", {}, value).close();
    }
    html.close().newline();
  }
  html.close().newline();
  return html.str();
}

}  // namespace railyard::apps
