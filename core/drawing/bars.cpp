#include "core/drawing/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/drawing/axes.hpp"

namespace railyard::core::drawing {
namespace {

/// Position of a bar, in per cent of the column.
struct Place {
  double from = 0, width = 0;
};

double longest(const BarFigure& figure) {
  double most = 0;
  for (const Bar& bar : figure.bars) most = std::max(most, std::abs(bar.value));
  return most;
}

void begin(Markup& html, const BarFigure& figure) {
  html.element("h3", {}, figure.title);
  html.element("p", {{"class", "muted"}}, figure.caption);
  html.open("div", {{"class", "bars"}}).newline();
}

void write_bar(Markup& html, const Bar& bar, const Place& place) {
  html.element("div", {{"class", "label"}}, bar.label);
  html.open("div", {{"class", "bar"}});
  html.element("span", {{"class", fmt::format("s{}", bar.colour)},
                        {"style", fmt::format("margin-left:{}%;width:{}%", svg_number(place.from),
                                              svg_number(place.width))}});
  html.close().open("div", {{"class", "value"}}).element("small", {}, bar.note);
  html.close().newline();
}

}  // namespace

void write_legend(Markup& html, const std::vector<std::pair<std::string, int>>& names) {
  html.open("p", {{"class", "muted legend"}});
  for (const auto& [name, colour] : names)
    html.open("span", {{"class", fmt::format("s{}", colour)}}).element("b", {}, name).close();
  html.close().newline();
}

void write_bars(Markup& html, const BarFigure& figure) {
  const double most = longest(figure);
  if (!(most > 0)) return;
  begin(html, figure);
  for (const Bar& bar : figure.bars) write_bar(html, bar, {0, 100 * std::abs(bar.value) / most});
  html.close().newline();
}

void write_waterfall(Markup& html, BarFigure figure, const Bar& rest, const std::string& unit) {
  if (figure.bars.empty() || !(figure.bars.front().value > 0)) return;
  const double whole = figure.bars.front().value;
  double left = whole;
  for (std::size_t i = 1; i < figure.bars.size(); ++i) left -= figure.bars[i].value;
  const double taken = whole - left, origin = taken < whole / 2 ? left - taken / 2 : 0;
  if (origin > 0 && taken > 0)
    figure.caption += fmt::format(" The scale begins at {} {}.", reading(origin), unit);
  const auto percent = [&](double value) {
    return taken > 0 ? std::clamp(100 * (value - origin) / (whole - origin), 0.0, 100.0) : 100;
  };
  begin(html, figure);
  double end = whole;
  for (std::size_t i = 0; i < figure.bars.size(); ++i) {
    const double from = i == 0 ? 0 : percent(end - figure.bars[i].value);
    write_bar(html, figure.bars[i], {from, percent(end) - from});
    if (i > 0) end -= figure.bars[i].value;
  }
  write_bar(html, rest, {0, percent(left)});
  html.close().newline();
}

void write_tornado(Markup& html, const BarFigure& figure) {
  constexpr double kMiddle = 50;
  const double most = longest(figure);
  if (!(most > 0)) return;
  begin(html, figure);
  for (const Bar& bar : figure.bars) {
    const double width = kMiddle * std::abs(bar.value) / most;
    write_bar(html, bar, {bar.value < 0 ? kMiddle - width : kMiddle, width});
  }
  html.close().newline();
}

}  // namespace railyard::core::drawing
