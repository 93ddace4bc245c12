#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/output/report/sections.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/bars.hpp"
#include "core/drawing/line_chart.hpp"
#include "core/drawing/markup.hpp"
#include "core/money.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

std::string option_name(const ResultFile& file, std::size_t row) {
  return fmt::format("{} GPUs of {}", file.text(row, "gpus"), file.text(row, "cluster"));
}

/// Colours of the candidates, in their order.
std::vector<std::pair<std::string, int>> candidate_colours(const ResultFile& file) {
  constexpr int kColours = 7;  // s7 is used for other things
  std::vector<std::pair<std::string, int>> colours;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const std::string cluster = file.text(row, "cluster");
    if (std::ranges::find(colours, cluster, &std::pair<std::string, int>::first) == colours.end())
      colours.emplace_back(cluster, static_cast<int>(colours.size()) % kColours);
  }
  return colours;
}

int colour_of(const ResultFile& file, std::size_t row) {
  for (const auto& [cluster, colour] : candidate_colours(file))
    if (cluster == file.text(row, "cluster")) return colour;
  return 0;
}

/// The axes of the plot: days, and cost (energy if no price is known).
struct ParetoPlane {
  std::string_view column;  ///< column of the result file
  Axis days, values;
};

ParetoPlane pareto_plane(const ResultFile& file, std::string_view column, Pixels x, Pixels y) {
  Extent days, values;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    days.take(file.number(row, "days").value_or(0));
    values.take(file.number(row, column).value_or(0));
  }
  return {column, linear_axis(days.most, x), linear_axis(values.most, y)};
}

/// Draws an option; filled if no other option is better.
void pareto_dot(Markup& html, const ParetoPlane& plane, const ResultFile& file, std::size_t row) {
  const auto days = file.number(row, "days"), value = file.number(row, plane.column);
  if (!days || !value) return;
  const double x = plane.days.at(*days), y = plane.values.at(*value);
  const std::string pick = file.text(row, "pick");
  const bool is_filled = !pick.empty();
  html.open("circle", {{"class", fmt::format("s{}", colour_of(file, row))},
                       {"cx", x},
                       {"cy", y},
                       {"r", 5.0},
                       {"fill", is_filled ? "currentColor" : "none"},
                       {"stroke", "currentColor"}});
  html.element("title", {},
               fmt::format("{}: {} days, {} {}", option_name(file, row), reading(*days),
                           reading(*value), pick));
  html.close();
  if (pick.find("est") != std::string::npos)
    html.element("text", {{"x", x + 8}, {"y", y - 6}},
                 fmt::format("{}: {} GPUs", pick, file.text(row, "gpus")));
}

void pareto_chart(Markup& html, const ResultFile& file) {
  const bool has_cost = file.number(0, "cost").has_value();
  constexpr double kWidth = 720, kHeight = 320, kLeft = 70, kRight = 120, kTop = 20, kBottom = 48;
  const ParetoPlane plane = pareto_plane(file, has_cost ? "cost" : "energy_MWh",
                                         {kLeft, kWidth - kRight}, {kHeight - kBottom, kTop});
  const std::string unit = has_cost ? "cost, " + file.provenance_of("currency") : "energy, MWh";
  html.element("h3", {}, "Days and " + unit);
  html.element("p", {{"class", "muted"}},
               "A dot per candidate and number of GPUs; filled: no other option within the limits "
               "is better in days, cost, energy and GPUs. Hover for the option.");
  write_legend(html, candidate_colours(file));
  html.open("figure", {{"class", "scatter"}})
      .open("svg", {{"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)}, {"class", "chart"}});
  draw_axes(html, plane.days, {"days", &reading}, plane.values, {unit, &core::count_text});
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
  write_bars(html,
             {.title = "Days by option",
              .caption = "With failures and checkpoints; in brackets the range of the assumptions. "
                         "Blue: no other option within the limits is better in everything.",
              .bars = std::move(all)});
}

/// Bars of a section from a column of labels and one of values, with their unit. Rows with a label
/// in `without` are left out.
std::vector<Bar> section_bars(const ResultFile& file, std::string_view section,
                              std::string_view label, std::string_view value,
                              const std::string& unit,
                              std::initializer_list<std::string_view> without = {}) {
  const ResultSection* rows = file.section(section);
  std::vector<Bar> all;
  for (std::size_t row = 0; rows != nullptr && row < rows->rows.size(); ++row) {
    const auto number = rows->number(row, value);
    const std::string name = rows->text(row, label);
    if (!number || std::ranges::find(without, name) != without.end()) continue;
    all.push_back({name, *number,
                   fmt::format("{}{} {}", *number < 0 ? "-" : "", reading(std::abs(*number)), unit),
                   *number < 0 ? 2 : 0});
  }
  return all;
}

/// Strong and weak scaling of a candidate as lines, with the walls.
void scaling(Markup& html, const ResultFile& file) {
  const ResultSection* rows = file.section("scaling");
  if (rows == nullptr || rows->rows.size() < 2) return;
  LineFigure figure{.x_name = "GPUs", .y_name = "efficiency, %", .lines = {}};
  std::string cluster;
  for (std::size_t row = 0; row < rows->rows.size(); ++row) {
    if (figure.lines.empty() || rows->text(row, "cluster") != cluster) {
      cluster = rows->text(row, "cluster");
      const int colour = static_cast<int>(figure.lines.size() / 2 % 8);
      figure.lines.push_back(
          {.name = cluster + ", the job's batch", .points = {}, .colour = colour});
      figure.lines.push_back({.name = cluster + ", batch in proportion to the GPUs",
                              .points = {},
                              .dashed = true,
                              .colour = colour});
    }
    const double gpus = rows->number(row, "gpus").value_or(0);
    const auto add = [&](Line& line, std::string_view efficiency, std::string_view wall) {
      const std::string name = rows->text(row, wall);
      if (const auto value = rows->number(row, efficiency))
        line.points.push_back({gpus, 100 * *value, name.empty() ? "" : "wall: " + name});
    };
    add(figure.lines[figure.lines.size() - 2], "strong_efficiency", "strong_limit");
    add(figure.lines.back(), "weak_efficiency", "weak_limit");
  }
  const std::string svg = line_chart_svg(figure);
  if (svg.empty()) return;
  html.element("h3", {}, "Scaling efficiency");
  html.element("p", {{"class", "muted"}},
               "Tokens per second and GPU over that of the candidate's smallest number of GPUs. A "
               "wall is the part of the step that grew most where the efficiency is too low.");
  html.open("figure", {{"class", "scatter"}}).raw(svg).close().newline();
}

/// Bars of the rent, by what the GPUs do; then of the cost of bought GPUs.
std::vector<Bar> cost_bars(const ResultFile& file) {
  const std::string currency = file.provenance_of("currency");
  std::vector<Bar> bars = section_bars(file, "cost", "part", "cost", currency, {"rent", "bought"});
  for (Bar& bar : bars) {
    bar.note = core::to_text(Money{bar.value, currency});
    if (bar.label != "capital" && bar.label != "electricity") continue;
    bar.label.insert(0, "if bought: ");
    bar.colour = 1;
  }
  return bars;
}

/// Bars of changes, with their sign.
std::vector<Bar> change_bars(const ResultFile& file, std::string_view value,
                             const std::string& unit) {
  std::vector<Bar> bars = section_bars(file, "what_helps", "change", value, unit);
  for (Bar& bar : bars)
    if (bar.value > 0) bar.note.insert(0, "+");
  return bars;
}

/// Bars from all hours of a run to the hours of training that are not lost.
void goodput(Markup& html, const ResultFile& file, const std::string& chosen) {
  std::vector<Bar> parts = section_bars(file, "time", "part", "hours", "h", {"training"});
  const auto kept = section_bars(file, "time", "part", "hours", "h");
  const auto training = std::ranges::find(kept, "training", &Bar::label);
  if (training == kept.end()) return;
  double whole = training->value;
  for (const Bar& part : parts) whole += part.value;
  for (Bar& part : parts) {
    part.note += fmt::format(", {:.2f} %", 100 * part.value / whole);
    part.colour = 3;
  }
  std::ranges::stable_sort(parts, std::greater<>(), &Bar::value);
  parts.insert(parts.begin(),
               {.label = "elapsed", .value = whole, .note = reading(whole) + " h", .colour = 7});
  write_waterfall(
      html,
      {.title = "Goodput: " + chosen,
       .caption = "Mean of the simulated runs. Each cause contains lost training, "
                  "detection, restart, waiting and slower training.",
       .bars = std::move(parts)},
      {.label = "training",
       .value = training->value,
       .note = fmt::format("{}, {:.2f} %", training->note, 100 * training->value / whole)},
      "h");
}

}  // namespace

std::string plan_section(const Report& report) {
  Markup html;
  for (const ResultFile& file : report.files) {
    if (file.kind != "plan_train" || file.rows.empty()) continue;
    pareto_chart(html, file);
    options(html, file);
    scaling(html, file);
    const std::string chosen = file.provenance_of("chosen");
    goodput(html, file, chosen);
    write_bars(html,
               {.title = "Largest wastes: " + chosen,
                .caption = "GPU-hours of a run.",
                .bars = section_bars(file, "wastes", "cause", "wasted_gpu_hours", "GPU-hours")});
    write_bars(html, {.title = "Cost: " + chosen,
                      .caption = "Rent by what the GPUs do in it. If GPUs are bought: capital and "
                                 "electricity in place of the rent.",
                      .bars = cost_bars(file)});
    write_bars(html,
               {.title = "Power: " + chosen,
                .caption = "Mean over a step, by phase and part.",
                .bars = section_bars(file, "power", "part", "mean_MW", "MW", {"mean", "peak"})});
    write_tornado(html, {.title = "What would help, days: " + chosen,
                         .caption = "Change of the days by each change, searched again. To the "
                                    "left: fewer days.",
                         .bars = change_bars(file, "day_change", "days")});
    write_tornado(html, {.title = "What would help, cost: " + chosen,
                         .caption = "Change of the rent by each change. To the left: cheaper.",
                         .bars = change_bars(file, "cost_change", file.provenance_of("currency"))});
  }
  return section("plan", "Training plan", html);
}

}  // namespace railyard::apps
