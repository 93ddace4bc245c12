#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/output/picture/svg.hpp"
#include "apps/output/report/chart.hpp"
#include "apps/output/report/sections.hpp"

namespace railyard::apps {
namespace {

/// A bar with its label, its length, and what stands behind it.
struct Bar {
  std::string label;
  double value = 0;
  std::string note;
  int colour = 0;
};

void bars(Markup& html, const std::string& title, const std::string& caption,
          const std::vector<Bar>& all) {
  double most = 0;
  for (const Bar& bar : all) most = std::max(most, std::abs(bar.value));
  if (!(most > 0)) return;
  html.element("h3", {}, title);
  html.element("p", {{"class", "muted"}}, caption);
  html.open("div", {{"class", "bars"}}).newline();
  for (const Bar& bar : all) {
    html.element("div", {}, bar.label);
    html.open("div", {{"class", "bar"}});
    html.element(
        "span", {{"class", fmt::format("s{}", bar.colour)},
                 {"style", fmt::format("width:{}%", svg_number(60 * std::abs(bar.value) / most))}});
    html.element("em", {}, bar.note);
    html.close().newline();
  }
  html.close().newline();
}

std::string option_name(const ResultFile& file, std::size_t row) {
  return fmt::format("{} GPUs of {}", file.text(row, "gpus"), file.text(row, "cluster"));
}

/// The plane of days and cost, or energy where no price is known.
struct ParetoPlane {
  static constexpr double kWidth = 720, kHeight = 320, kLeft = 70, kBottom = 40, kTop = 14,
                          kRight = 20;
  std::string_view column;  ///< of the result file
  double most_days = 0, most = 0;

  [[nodiscard]] double x_of(double days) const {
    return kLeft + days / (1.08 * most_days) * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y_of(double value) const {
    return kHeight - kBottom - value / (1.08 * most) * (kHeight - kBottom - kTop);
  }
};

ParetoPlane pareto_plane(const ResultFile& file, std::string_view column) {
  ParetoPlane plane{.column = column};
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    plane.most_days = std::max(plane.most_days, file.number(row, "days").value_or(0));
    plane.most = std::max(plane.most, file.number(row, column).value_or(0));
  }
  return plane;
}

void pareto_axes(Markup& html, const ParetoPlane& plane) {
  const auto line = [&](double x1, double y1, double x2, double y2) {
    html.element("line", {{"x1", x1},
                          {"y1", y1},
                          {"x2", x2},
                          {"y2", y2},
                          {"stroke", "currentColor"},
                          {"stroke-opacity", "0.3"}});
  };
  line(plane.kLeft, plane.y_of(0), plane.kWidth - plane.kRight, plane.y_of(0));
  line(plane.kLeft, plane.kTop, plane.kLeft, plane.y_of(0));
  for (int tick = 1; tick <= 4; ++tick) {
    const double days = tick / 4.0 * plane.most_days, value = tick / 4.0 * plane.most;
    html.element("text",
                 {{"x", plane.x_of(days)}, {"y", plane.kHeight - 22}, {"text-anchor", "middle"}},
                 reading(days));
    html.element("text",
                 {{"x", plane.kLeft - 6}, {"y", plane.y_of(value) + 4}, {"text-anchor", "end"}},
                 reading(value));
  }
  html.element("text",
               {{"x", plane.kWidth / 2}, {"y", plane.kHeight - 4}, {"text-anchor", "middle"}},
               "days");
}

/// Filled where no other option is better.
void pareto_dot(Markup& html, const ParetoPlane& plane, const ResultFile& file, std::size_t row) {
  const auto days = file.number(row, "days"), value = file.number(row, plane.column);
  if (!days || !value) return;
  const std::string pick = file.text(row, "pick");
  const bool is_filled = !pick.empty();
  html.open("circle", {{"class", is_filled ? "s0" : "s7"},
                       {"cx", plane.x_of(*days)},
                       {"cy", plane.y_of(*value)},
                       {"r", 5.0},
                       {"fill", is_filled ? "currentColor" : "none"},
                       {"stroke", "currentColor"}});
  html.element("title", {},
               fmt::format("{}: {} days, {} {}", option_name(file, row), reading(*days),
                           reading(*value), pick));
  html.close();
  if (pick.find("est") != std::string::npos)
    html.element("text", {{"x", plane.x_of(*days) + 8}, {"y", plane.y_of(*value) - 6}}, pick);
}

void pareto_chart(Markup& html, const ResultFile& file) {
  const bool has_cost = file.number(0, "cost").has_value();
  const ParetoPlane plane = pareto_plane(file, has_cost ? "cost" : "energy_MWh");
  if (!(plane.most_days > 0) || !(plane.most > 0)) return;
  const std::string unit = has_cost ? "cost, " + file.provenance_of("currency") : "energy, MWh";
  html.element("h3", {}, "Days and " + unit);
  html.element("p", {{"class", "muted"}},
               "A dot per candidate and number of GPUs; filled: no other option within the limits "
               "is better in days, cost, energy and GPUs. Hover for the option.");
  html.open("figure").open(
      "svg",
      {{"viewBox", fmt::format("0 0 {} {}", plane.kWidth, plane.kHeight)}, {"class", "chart"}});
  pareto_axes(html, plane);
  for (std::size_t row = 0; row < file.rows.size(); ++row) pareto_dot(html, plane, file, row);
  html.close().close().newline();
}

void options(Markup& html, const ResultFile& file) {
  std::vector<Bar> all;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const double days = file.number(row, "days").value_or(0);
    std::string note = reading(days) + " days";
    if (const auto low = file.number(row, "days_low"), high = file.number(row, "days_high");
        low && high)
      note += fmt::format(" ({} to {})", reading(*low), reading(*high));
    if (const auto goodput = file.number(row, "goodput"))
      note += fmt::format(", goodput {:.1f} %", 100 * *goodput);
    if (const std::string pick = file.text(row, "pick"); !pick.empty()) note += ", " + pick;
    all.push_back({option_name(file, row), days, note, file.text(row, "pick").empty() ? 7 : 0});
  }
  bars(html, "Days by option",
       "With failures and checkpoints; in brackets the range of the assumptions.", all);
}

/// Bars of a section: a column of labels, one of values, with their unit.
void section_bars(Markup& html, const ResultFile& file, std::string_view section,
                  std::string_view label, std::string_view value, const std::string& unit,
                  const std::string& title, const std::string& caption) {
  const ResultSection* rows = file.section(section);
  if (rows == nullptr) return;
  std::vector<Bar> all;
  for (std::size_t row = 0; row < rows->rows.size(); ++row) {
    const auto number = rows->number(row, value);
    if (!number) continue;
    all.push_back({rows->text(row, label), *number,
                   fmt::format("{}{} {}", *number < 0 ? "-" : "", reading(std::abs(*number)), unit),
                   *number < 0 ? 2 : 0});
  }
  bars(html, title, caption, all);
}

void scaling(Markup& html, const ResultFile& file) {
  const ResultSection* rows = file.section("scaling");
  if (rows == nullptr || rows->rows.size() < 2) return;
  std::vector<Bar> all;
  for (std::size_t row = 0; row < rows->rows.size(); ++row) {
    const double strong = rows->number(row, "strong_efficiency").value_or(0);
    std::string note = fmt::format("{:.1f} %", 100 * strong);
    if (const std::string wall = rows->text(row, "strong_wall"); !wall.empty())
      note += ", wall: " + wall;
    if (const auto weak = rows->number(row, "weak_efficiency"))
      note += fmt::format("; batch in proportion: {:.1f} %", 100 * *weak);
    all.push_back(
        {fmt::format("{} GPUs of {}", rows->text(row, "gpus"), rows->text(row, "cluster")), strong,
         note, rows->text(row, "strong_wall").empty() ? 0 : 3});
  }
  bars(html, "Scaling efficiency",
       "Tokens per second and GPU over that of the candidate's smallest number of GPUs, with the "
       "job's batch.",
       all);
}

}  // namespace

std::string plan_section(const Report& report) {
  Markup html;
  bool any = false;
  for (const ResultFile& file : report.files) {
    if (file.kind != "plan_train" || file.rows.empty()) continue;
    if (!any) html.open("section", {{"id", "plan"}}).element("h2", {}, "Training plan").newline();
    any = true;
    pareto_chart(html, file);
    options(html, file);
    scaling(html, file);
    const std::string chosen = file.provenance_of("chosen");
    section_bars(html, file, "time", "part", "hours", "h",
                 "Where the time of a run goes: " + chosen,
                 "Mean of the simulated runs; causes with what was lost, detection, restart and "
                 "waiting.");
    section_bars(html, file, "wastes", "cause", "wasted_gpu_hours", "GPU-hours",
                 "Largest wastes: " + chosen, "GPU-hours of a run.");
    section_bars(html, file, "power", "part", "mean_MW", "MW", "Power: " + chosen,
                 "Mean over a step, by phase and part.");
    section_bars(html, file, "what_helps", "change", "day_change", "days",
                 "What would help: " + chosen,
                 "Change of the days by each change, searched again; negative: fewer days.");
  }
  if (!any) return {};
  html.close().newline();
  return html.str();
}

}  // namespace railyard::apps
