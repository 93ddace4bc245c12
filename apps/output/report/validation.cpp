#include "apps/output/report/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "apps/output/report/sections.hpp"
#include "core/drawing/markup.hpp"
#include "core/error_summary.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

// Limits of the size bands of `railyard validate` (docs/models/nccl_time.md).
constexpr double kSmall = 64.0 * 1024, kLarge = 16.0 * 1024 * 1024;

template <class List, class Match>
auto& found_or_added(List& list, const Match& match) {
  const auto found = std::find_if(list.begin(), list.end(), match);
  return found == list.end() ? list.emplace_back() : *found;
}

core::ErrorSummary summary_of(const std::vector<ValidationPoint>& points) {
  std::vector<double> errors;
  for (const ValidationPoint& point : points) errors.push_back(point.error());
  return core::summarise_errors(std::move(errors));
}

/// Median of the absolute errors; "" without points.
std::string median_error(const std::vector<ValidationPoint>& points) {
  return points.empty() ? "" : fmt::format("{:.1f}", summary_of(points).median);
}

std::vector<ValidationPoint> within(const std::vector<ValidationPoint>& points, double least,
                                    double below) {
  std::vector<ValidationPoint> some;
  std::copy_if(points.begin(), points.end(), std::back_inserter(some),
               [&](const ValidationPoint& p) { return p.bytes >= least && p.bytes < below; });
  return some;
}

std::string bias(const std::vector<ValidationPoint>& points) {
  return points.empty() ? "" : fmt::format("{:+.1f}", summary_of(points).bias);
}

void error_row(Markup& html, const std::string& name, const std::string& cluster,
               const std::vector<ValidationPoint>& points) {
  const std::array<std::string, 6> numbers = {std::to_string(points.size()),
                                              median_error(points),
                                              bias(points),
                                              median_error(within(points, 0, kSmall)),
                                              median_error(within(points, kSmall, kLarge)),
                                              median_error(within(points, kLarge, INFINITY))};
  html.open("tr").element("td", {}, name).element("td", {}, cluster);
  for (const std::string& number : numbers)
    html.element("td", {{"class", "num"}, {"data-value", number}}, number);
  html.close().newline();
}

void error_table(Markup& html, const std::vector<ValidationTable>& tables) {
  html.open("div", {{"class", "scroll"}}).open("table", {{"class", "sortable"}});
  html.element(
      "caption", {},
      "Errors in per cent of the measured time: medians of the absolute errors, and the bias, "
      "which is the mean of the signed errors.");
  html.open("thead").open("tr").element("th", {}, "table").element("th", {}, "cluster");
  for (const char* name : {"rows", "median", "bias", "below 64 KiB", "to 16 MiB", "above"})
    html.element("th", {{"class", "num"}}, name);
  html.close().close().newline().open("tbody").newline();
  std::vector<ValidationPoint> all;
  for (const ValidationTable& table : tables) {
    const std::vector<ValidationPoint> points = table.points();
    all.insert(all.end(), points.begin(), points.end());
    error_row(html, table.name, table.cluster, points);
  }
  error_row(html, "all rows", "", all);
  html.close().close().close().newline();
}

void curves(Markup& html, const ValidationTable& table) {
  html.open("details").element("summary", {},
                               fmt::format("{}: measured and predicted time", table.name));
  html.open("div", {{"class", "small"}}).newline();
  for (const ValidationCurve& curve : table.curves) {
    html.open("figure").element("figcaption", {}, curve.label);
    html.raw(validation_curve_svg(curve)).close().newline();
  }
  html.close().close().newline();
}

}  // namespace

std::vector<ValidationPoint> ValidationTable::points() const {
  std::vector<ValidationPoint> all;
  for (const ValidationCurve& curve : curves)
    all.insert(all.end(), curve.points.begin(), curve.points.end());
  return all;
}

std::vector<ValidationTable> validation_tables(const ResultFile& file) {
  std::vector<ValidationTable> tables;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const auto bytes = file.number(row, "bytes"), measured = file.number(row, "time_us"),
               predicted = file.number(row, "predicted_us");
    if (!bytes || !measured || !predicted || *bytes <= 0 || *measured <= 0 || *predicted <= 0)
      continue;
    const std::string name = file.text(row, "table");
    ValidationTable& table =
        found_or_added(tables, [&](const ValidationTable& one) { return one.name == name; });
    table.name = name;
    table.cluster = file.text(row, "cluster");
    const std::string label = fmt::format("{} {}, {} ranks", file.text(row, "collective"),
                                          file.text(row, "type"), file.text(row, "ranks"));
    ValidationCurve& curve = found_or_added(
        table.curves, [&](const ValidationCurve& one) { return one.label == label; });
    curve.label = label;
    curve.points.push_back({*bytes, *measured, *predicted});
  }
  for (ValidationTable& table : tables)
    for (ValidationCurve& curve : table.curves)
      std::stable_sort(curve.points.begin(), curve.points.end(),
                       [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return tables;
}

std::string validation_section(const Report& report) {
  Markup html;
  for (const ResultFile& file : report.files) {
    if (!is_validation(file)) continue;
    const std::vector<ValidationTable> tables = validation_tables(file);
    if (tables.empty()) continue;
    html.open("figure", {{"class", "scatter"}})
        .element("figcaption", {},
                 fmt::format("{}: predicted over measured time; the lines are where a prediction "
                             "is right, and 25 % off",
                             file.path));
    html.raw(validation_scatter(tables)).close().newline();
    error_table(html, tables);
    for (const ValidationTable& table : tables) curves(html, table);
  }
  return section("validation", "Predictions and measured tables", html);
}

}  // namespace railyard::apps
