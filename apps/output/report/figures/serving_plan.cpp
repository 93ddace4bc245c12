#include <fmt/format.h>

#include <algorithm>

#include "apps/output/report/sections.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/bars.hpp"
#include "core/drawing/line_chart.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

/// Writes a heading, a caption and the lines; nothing if no line has two points.
void write_lines(Markup& html, const std::string& title, const std::string& caption,
                 const LineFigure& figure) {
  const std::string svg = line_chart_svg(figure);
  if (svg.empty()) return;
  html.element("h3", {}, title).element("p", {{"class", "muted"}}, caption);
  html.open("figure").raw(svg).close().newline();
}

/// Points of two columns of a section, in the order of x.
std::vector<LinePoint> points_of(const ResultSection& rows, std::string_view x,
                                 std::string_view y) {
  std::vector<LinePoint> points;
  for (std::size_t row = 0; row < rows.rows.size(); ++row)
    if (const auto at = rows.number(row, x), value = rows.number(row, y); at && value)
      points.push_back({*at, *value});
  std::ranges::stable_sort(points, {}, &LinePoint::x);
  return points;
}

void pareto(Markup& html, const ResultFile& file) {
  const ResultSection* rows = file.section("pareto");
  if (rows == nullptr) return;
  Line line{.name = "no split and number of clients is better in both", .points = {}};
  std::string split;
  for (std::size_t row = 0; row < rows->rows.size(); ++row) {
    const auto user = rows->number(row, "tokens_per_s_per_user"),
               gpu = rows->number(row, "tokens_per_s_per_gpu");
    if (!user || !gpu) continue;
    const std::string own = rows->text(row, "split");
    line.points.push_back({*user, *gpu, own == split ? "" : own});
    split = own;
  }
  write_lines(html, "Throughput per GPU and speed per user",
              "Output tokens per second. Each point is a split of the model with a number of "
              "clients; a label marks where the split changes.",
              {.x_name = "tokens/s per user", .y_name = "tokens/s per GPU", .lines = {line}});
}

/// The load at the knee: "120 requests/s"; "" if no row has one.
std::string knee_of(const ResultSection& rows) {
  for (std::size_t row = 0; row < rows.rows.size(); ++row)
    if (const auto rate = rows.number(row, "requests_per_s");
        rate && rows.text(row, "knee") == "yes")
      return reading(*rate) + " requests/s";
  return {};
}

void load_sweep(Markup& html, const ResultFile& file) {
  const ResultSection* rows = file.section("load_sweep");
  if (rows == nullptr) return;
  const std::string knee = knee_of(*rows);
  const auto figure = [&](const char* y_name, const char* p99, const char* p50) {
    LineFigure lines{.x_name = "requests/s", .y_name = y_name, .lines = {}};
    lines.lines.push_back(
        {.name = "99th percentile", .points = points_of(*rows, "requests_per_s", p99)});
    lines.lines.push_back(
        {.name = "median", .points = points_of(*rows, "requests_per_s", p50), .dashed = true});
    for (LinePoint& point : lines.lines.front().points)
      if (reading(point.x) + " requests/s" == knee) point.label = "knee";
    return lines;
  };
  const std::string caption =
      "The deployment at other loads, up to 1.2 times the saturation that the plan assumes" +
      (knee.empty() ? "."
                    : fmt::format(". The knee is at {}: up to there the 99th percentile is at most "
                                  "twice that of the smallest load.",
                                  knee));
  write_lines(html, "Time to first token over load", caption,
              figure("ms", "ttft_ms", "ttft_p50_ms"));
  write_lines(html, "Time per output token over load", caption,
              figure("ms", "tpot_ms", "tpot_p50_ms"));
}

void latency(Markup& html, const ResultFile& file) {
  const ResultSection* rows = file.section("latency");
  if (rows == nullptr) return;
  struct Quantity {
    const char *name, *title;
  };
  for (const auto& [name, title] : {Quantity{"ttft", "Time to first token by request"},
                                    Quantity{"tpot", "Time per output token by request"},
                                    Quantity{"e2e", "Latency by request"}}) {
    Line line{.name = "requests that take at most so long", .points = {}};
    for (std::size_t row = 0; row < rows->rows.size(); ++row) {
      const auto share = rows->number(row, "share_pct"), ms = rows->number(row, "ms");
      if (share && ms && rows->text(row, "quantity") == name)
        line.points.push_back({*ms, *share, *share > 98 ? "99 %" : ""});
    }
    write_lines(html, title, "Distribution over the simulated requests, with the plan's margin.",
                {.x_name = "ms", .y_name = "requests, %", .lines = {line}});
  }
}

void steps(Markup& html, const ResultFile& file) {
  const ResultSection* rows = file.section("steps");
  if (rows == nullptr) return;
  std::vector<BarFigure> figures;
  std::string step;
  for (std::size_t row = 0; row < rows->rows.size(); ++row) {
    const auto ms = rows->number(row, "ms"), share = rows->number(row, "share_pct");
    if (!ms || !share) continue;
    if (figures.empty() || rows->text(row, "step") != step) {
      step = rows->text(row, "step");
      figures.push_back({.title = "Parts of a step: " + step,
                         .caption = "Predicted, without the plan's margin.",
                         .bars = {}});
    }
    std::vector<Bar>& bars = figures.back().bars;
    bars.push_back({rows->text(row, "part"), *ms,
                    fmt::format("{} ms, {:.0f} %", reading(*ms), *share),
                    static_cast<int>(bars.size() % 8)});
  }
  for (const BarFigure& figure : figures) write_bars(html, figure);
}

void timeline(Markup& html, const ResultFile& file) {
  const ResultSection* rows = file.section("timeline");
  if (rows == nullptr) return;
  struct Quantity {
    const char *name, *title, *unit;
  };
  for (const auto& [name, title, unit] :
       {Quantity{"queue", "Requests that wait over time", "requests"},
        Quantity{"batch", "Requests that run over time", "requests"},
        Quantity{"kv_use_pct", "KV cache over time", "% in use"},
        Quantity{"power_W", "Power over time", "W"}}) {
    LineFigure figure{.x_name = "s", .y_name = unit, .lines = {}};
    for (std::size_t row = 0; row < rows->rows.size(); ++row) {
      const std::string pool = rows->text(row, "pool");
      const auto from = rows->number(row, "from_s"), value = rows->number(row, name);
      if (!from || !value) continue;
      if (figure.lines.empty() || figure.lines.back().name != pool)
        figure.lines.push_back(
            {.name = pool, .points = {}, .colour = static_cast<int>(figure.lines.size())});
      figure.lines.back().points.push_back({*from, *value, ""});
    }
    write_lines(html, title,
                "Of all replicas of a pool in the simulated run; means over equal parts "
                "of its time.",
                figure);
  }
}

}  // namespace

std::string serving_section(const Report& report) {
  Markup html;
  for (const ResultFile& file : report.files) {
    if (file.kind != "plan_serve" || file.rows.empty()) continue;
    pareto(html, file);
    load_sweep(html, file);
    latency(html, file);
    steps(html, file);
    timeline(html, file);
  }
  return section("serving", "Serving plan", html);
}

}  // namespace railyard::apps
