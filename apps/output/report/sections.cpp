#include "apps/output/report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "apps/output/report/chart.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

void bars(Markup& html, const CurveChart& chart, const Comparison& field) {
  const double slowest = field.runs.back().point->time_us,
               fastest = field.runs.front().point->time_us;
  html.element("h3", {}, fmt::format("{} of {}: time", title_of(chart), size_label(field.bytes)));
  html.element("p", {{"class", "muted"}}, chart.common).open("div", {{"class", "bars"}}).newline();
  for (const ComparedRun& one : field.runs) {
    const CurvePoint& point = *one.point;
    html.element("div", {{"class", "label"}}, chart.curves[one.curve].label);
    html.open("div", {{"class", fmt::format("bar s{}", one.curve % 8)}});
    html.element("span",
                 {{"style", fmt::format("width:{}%", svg_number(100 * point.time_us / slowest))}});
    html.close().open("div", {{"class", "value"}});
    html.element("em", {}, time_reading(point.time_us));
    std::string note = reading(point.busbw_GBps) + " GB/s";
    if (point.time_us > 1.005 * fastest)
      note += fmt::format(", {} × the fastest", svg_number(point.time_us / fastest));
    if (!point.bound_by.empty()) note += ", bound by " + point.bound_by;
    html.element("small", {}, note).close().newline();
  }
  html.close().newline();
}

/// "predictions: 12, off by 8 % in the median and 21 % at most".
std::string prediction_summary(const Curve& curve) {
  const std::vector<double> errors = prediction_errors({&curve, 1});
  if (errors.empty()) return {};
  return fmt::format(
      "{}: {} predictions; error against measured time: median {:.0f} %, largest {:.0f} %.",
      curve.label, errors.size(), errors[errors.size() / 2], errors.back());
}

void load_scale(Markup& html) {
  constexpr std::array<std::string_view, 6> kClasses = {
      "idle", "below 25 %", "below 50 %", "below 75 %", "below 95 %", "95 % and more"};
  html.open("div", {{"class", "scale"}});
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    html.element("span", {{"class", fmt::format("l{}", i)}}, kClasses[i]);
  }
  html.close().newline();
}

void run_choice(Markup& html, const Report& report, const std::vector<std::size_t>& runs) {
  html.open("p").text("Link load of ").open("select", {{"class", "run"}, {"aria-label", "run"}});
  for (const std::size_t run : runs)
    html.element("option", {{"value", static_cast<double>(run)}}, report.loads[run].label);
  html.close()
      .text(" bound by ")
      .element("b", {{"class", "bound"}}, report.loads[runs.front()].bound_by)
      .close()
      .newline();
}

}  // namespace

std::string section(std::string_view id, std::string_view heading, const Markup& body) {
  const std::string content = body.str();
  if (content.empty()) return {};
  Markup html;
  html.open("section", {{"id", id}}).element("h2", {}, heading).newline();
  html.raw(content).close().newline();
  return html.str();
}

std::string comparison_section(const Report& report) {
  Markup html;
  for (const CurveChart& chart : report.charts) {
    const auto field = compare(chart);
    if (!field || field->runs.size() < 2) continue;
    bars(html, chart, *field);
  }
  return section("comparison", "Comparison", html);
}

std::string fabric_section(const Report& report) {
  if (report.fabrics.empty() && report.loads.empty()) return {};
  Markup html;
  for (const FabricFigure& fabric : report.fabrics) {
    html.open("figure", {{"class", "fabric"}}).element("figcaption", {}, fabric.caption);
    if (!fabric.runs.empty()) run_choice(html, report, fabric.runs);
    html.open("div", {{"class", "wide"}}).raw(fabric.svg).close();
    if (!fabric.runs.empty()) load_scale(html);
    html.close().newline();
  }
  if (!report.loads.empty()) {
    html.element("h3", {}, "Busiest link of each tier");
    html.element("p", {{"class", "muted"}},
                 "Busy time over the time of the run, at the largest size of each curve; the mean "
                 "is over all links of the tier.");
    html.raw(load_table(report.loads));
  }
  return section("fabric", report.fabrics.size() > 1 ? "Fabrics" : "Fabric", html);
}

std::string chart_section(const Report& report) {
  if (report.charts.empty()) return {};
  Markup html;
  for (const CurveChart& chart : report.charts) {
    html.element("h3", {}, title_of(chart)).element("p", {{"class", "muted"}}, chart.common);
    html.open("div", {{"class", "pair"}}).newline();
    html.open("figure").raw(chart_svg(chart, ChartValue::busbw)).close();
    html.open("figure").raw(chart_svg(chart, ChartValue::time)).close();
    html.close().newline();
    for (const Curve& curve : chart.curves) {
      const std::string summary = prediction_summary(curve);
      if (!summary.empty()) html.element("p", {}, summary);
    }
  }
  return section("curves", "Curves over message size", html);
}

}  // namespace railyard::apps
