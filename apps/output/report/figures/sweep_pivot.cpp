#include <fmt/format.h>

#include <algorithm>

#include "apps/output/report/sections.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/bars.hpp"
#include "core/drawing/line_chart.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

/// A pivot table as lines: the first column is x, each other column a line.
LineFigure lines_of(const ResultFile& file) {
  LineFigure figure{
      .x_name = file.columns.front(), .y_name = file.provenance_of("pivot"), .lines = {}};
  for (std::size_t c = 1; c < file.columns.size(); ++c) {
    Line line{.name = file.columns[c], .points = {}, .colour = static_cast<int>((c - 1) % 8)};
    for (std::size_t row = 0; row < file.rows.size(); ++row) {
      const auto x = file.number(row, file.columns.front()), y = file.number(row, file.columns[c]);
      if (x && y) line.points.push_back({*x, *y});
    }
    std::ranges::stable_sort(line.points, {}, &LinePoint::x);
    figure.lines.push_back(std::move(line));
  }
  return figure;
}

/// A pivot table whose first column is text: a bar per cell.
BarFigure bars_of(const ResultFile& file) {
  BarFigure figure;
  for (std::size_t row = 0; row < file.rows.size(); ++row)
    for (std::size_t c = 1; c < file.columns.size(); ++c)
      if (const auto value = file.number(row, file.columns[c]))
        figure.bars.push_back(
            {fmt::format("{}, {}", file.text(row, file.columns.front()), file.columns[c]), *value,
             reading(*value), static_cast<int>((c - 1) % 8)});
  return figure;
}

}  // namespace

std::string pivot_section(const Report& report) {
  Markup html;
  for (const ResultFile& file : report.files) {
    if (file.kind != "pivot" || file.rows.empty() || file.columns.size() < 2) continue;
    const std::string title =
        fmt::format("{} by {}", file.provenance_of("pivot"), file.columns.front());
    const std::string caption = file.provenance_of("swept");
    if (const std::string svg = line_chart_svg(lines_of(file)); !svg.empty()) {
      html.element("h3", {}, title).element("p", {{"class", "muted"}}, caption);
      html.open("figure").raw(svg).close().newline();
      continue;
    }
    BarFigure figure = bars_of(file);
    figure.title = title;
    figure.caption = caption;
    write_bars(html, figure);
  }
  return section("pivot", "Sweep", html);
}

}  // namespace railyard::apps
