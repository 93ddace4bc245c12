#include "apps/output/report/figures/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace railyard::apps {
namespace {

/// Where a bar lies, in percent of the column.
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

void write_bars(Markup& html, const BarFigure& figure) {
  const double most = longest(figure);
  if (!(most > 0)) return;
  begin(html, figure);
  for (const Bar& bar : figure.bars) write_bar(html, bar, {0, 100 * std::abs(bar.value) / most});
  html.close().newline();
}

void write_waterfall(Markup& html, const BarFigure& figure, const std::string& rest_label,
                     const std::string& rest_note) {
  if (figure.bars.empty() || !(figure.bars.front().value > 0)) return;
  const double whole = figure.bars.front().value;
  begin(html, figure);
  double left = whole;
  for (std::size_t i = 0; i < figure.bars.size(); ++i) {
    const Bar& bar = figure.bars[i];
    if (i > 0) left -= bar.value;
    const double from = i == 0 ? 0 : std::max(0.0, 100 * left / whole);
    write_bar(html, bar, {from, 100 * bar.value / whole});
  }
  write_bar(html, {.label = rest_label, .value = left, .note = rest_note},
            {0, std::max(0.0, 100 * left / whole)});
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

}  // namespace railyard::apps
