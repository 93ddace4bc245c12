#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "apps/output/report/sections.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/bars.hpp"
#include "core/drawing/markup.hpp"
#include "placement/strategy/strategy_names.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

/// A part of a step: its column in strategy rows, its name, and the number of its colour class.
struct StepPart {
  std::string_view column, name;
};
constexpr std::array<StepPart, 9> kParts{{{"compute_s", "compute"},
                                          {"tp_comm_s", "tensor parallel"},
                                          {"pp_comm_s", "pipeline"},
                                          {"dp_comm_s", "data parallel"},
                                          {"ep_comm_s", "experts"},
                                          {"cp_comm_s", "context parallel"},
                                          {"bubble_s", "bubble"},
                                          {"optimizer_s", "optimizer"},
                                          {"offload_s", "offload"}}};

// Widths in units of the drawing's viewBox.
constexpr double kWidth = 1000, kLabel = 90;

void strategies(Markup& html, const ResultFile& file) {
  double longest = 0;
  std::vector<std::pair<std::string, int>> used;
  for (std::size_t row = 0; row < file.rows.size(); ++row)
    longest = std::max({longest, file.number(row, "iteration_s").value_or(0),
                        file.number(row, "simulated_s").value_or(0)});
  for (std::size_t p = 0; p < kParts.size(); ++p) {
    double most = 0;
    for (std::size_t row = 0; row < file.rows.size(); ++row)
      most = std::max(most, file.number(row, kParts[p].column).value_or(0));
    if (most > 0.001 * longest) used.emplace_back(kParts[p].name, static_cast<int>(p));
  }
  html.element("h3", {},
               fmt::format("{} on {}: time of a step", file.provenance_of("job"),
                           file.provenance_of("cluster")));
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < file.rows.size(); ++row)
    texts.push_back(file.text(row, "strategy"));
  const placement::StrategyNames names = placement::name_strategies(texts);
  if (!names.common.empty())
    html.element(
        "p", {{"class", "muted"}},
        fmt::format("{}: {}.", texts.size() > 1 ? "All strategies" : "Settings", names.common));
  write_legend(html, used);
  html.open("div", {{"class", "bars"}}).newline();
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    html.element("div", {{"class", "label"}, {"title", texts[row]}}, names.names[row]);
    html.open("div", {{"class", "bar parts"}});
    for (const auto& [name, part] : used) {
      const double seconds =
          file.number(row, kParts[static_cast<std::size_t>(part)].column).value_or(0);
      html.element("span",
                   {{"class", fmt::format("s{}", part)},
                    {"title", fmt::format("{}: {} s", name, reading(seconds))},
                    {"style", fmt::format("width:{}%", svg_number(100 * seconds / longest))}});
    }
    html.close().open("div", {{"class", "value"}});
    html.element("em", {}, reading(file.number(row, "iteration_s").value_or(0)) + " s");
    std::string note;
    if (const auto simulated = file.number(row, "simulated_s"))
      note += fmt::format("simulated {} s, ", reading(*simulated));
    if (const auto mfu = file.number(row, "mfu")) note += fmt::format("MFU {:.1f} %, ", 100 * *mfu);
    html.element("small", {}, note + file.text(row, "bound_by"));
    html.close().newline();
  }
  html.close().newline();
}

/// An activity in a step by its name in the timeline, with its meaning.
struct Activity {
  std::string_view what, meaning;
  int colour;
};
constexpr std::array<Activity, 12> kActivities{{{"F", "F: forward pass", 0},
                                                {"B", "B: backward pass", 2},
                                                {"W", "W: gradients of weights", 5},
                                                {"optimizer", "optimizer", 7},
                                                {"tp", "tensor-parallel collective", 1},
                                                {"cp", "context-parallel collective", 4},
                                                {"ep", "expert all-to-all", 3},
                                                {"send", "message to the next stage", 6},
                                                {"gradients", "gradients over replicas", 8},
                                                {"weights", "weights over replicas", 9},
                                                {"tied", "gradients of tied embeddings", 10},
                                                {"offload", "transfer to host memory", 11}}};

Activity activity_of(const std::string& what) {
  const auto found = std::ranges::find(kActivities, what, &Activity::what);
  return found == kActivities.end() ? Activity{what, what, 6} : *found;
}

/// Rows of the timeline: one per stage, and with several classes of replicas one per class and
/// stage.
class StageRows {
 public:
  explicit StageRows(const ResultSection& events) {
    std::set<std::pair<int, int>> seen;
    for (std::size_t i = 0; i < events.rows.size(); ++i) seen.insert(of(events, i));
    for (const auto& key : seen) rows_.emplace(key, static_cast<int>(rows_.size()));
  }
  [[nodiscard]] int row(const ResultSection& events, std::size_t i) const {
    return rows_.at(of(events, i));
  }
  [[nodiscard]] int count() const { return static_cast<int>(rows_.size()); }
  void label(Markup& html, double height) const {
    for (const auto& [key, row] : rows_)
      html.element("text", {{"x", 0.0}, {"y", row * height + 14}},
                   key.first < 0 ? fmt::format("stage {}", key.second)
                                 : fmt::format("{}: stage {}", key.first, key.second));
  }

 private:
  static std::pair<int, int> of(const ResultSection& events, std::size_t i) {
    return {static_cast<int>(events.number(i, "pipeline").value_or(-1)),
            static_cast<int>(events.number(i, "stage").value_or(0))};
  }
  std::map<std::pair<int, int>, int> rows_;
};

/// Vertical offset and height at which events of a stream are drawn in their stage's row.
std::pair<double, double> lane_of(std::string_view stream) {
  if (stream == "compute") return {1, 9};
  if (stream == "sends forward" || stream == "sends back") return {17, 3};
  if (stream == "replicas") return {21, 4};
  return {10, 6};
}

/// Vertical lines through the rows at round times, with labels below.
void time_axis(Markup& html, double end_us, double bottom) {
  const double decade = std::pow(10.0, std::floor(std::log10(end_us / 4)));
  double step = decade;
  for (const double factor : {2.0, 5.0})
    if (end_us / step > 8) step = decade * factor;
  for (int i = 0; step * i <= end_us; ++i) {
    const double x = kLabel + step * i / end_us * (kWidth - kLabel);
    html.element("path", {{"class", "grid"},
                          {"d", fmt::format("M{},0V{}", svg_number(x), svg_number(bottom + 4))}});
    const bool is_last = x > kWidth - 30;
    html.element("text",
                 {{"class", "tick"},
                  {"x", is_last ? kWidth : x},
                  {"y", bottom + 18},
                  {"text-anchor", i == 0 ? "start" : (is_last ? "end" : "middle")}},
                 time_reading(step * i));
  }
  html.element("text", {{"class", "axis"}, {"x", 0.0}, {"y", bottom + 18}}, "time").newline();
}

void timeline(Markup& html, const ResultFile& file) {
  const ResultSection* events = file.section("timeline");
  if (events == nullptr) return;
  double end = 0;
  const StageRows rows(*events);
  const int stages = rows.count();
  std::set<std::string> seen;
  std::vector<std::pair<std::string, int>> names;
  for (std::size_t i = 0; i < events->rows.size(); ++i) {
    end = std::max(end, events->number(i, "end_us").value_or(0));
    const std::string what = events->text(i, "what");
    if (seen.insert(what).second)
      names.emplace_back(activity_of(what).meaning, activity_of(what).colour);
  }
  if (end <= 0) return;
  constexpr double kRow = 28;
  html.element("h3", {}, "Timeline of the best strategy");
  html.element(
      "p", {{"class", "muted"}},
      fmt::format("{} stages; the lanes of each from above: computation, blocking collectives, "
                  "messages between stages, collectives of gradients and weights. A long step is "
                  "cut short: its first micro-batches and its end, {} in all.",
                  stages, time_reading(end)));
  write_legend(html, names);
  constexpr double kAxis = 34;
  html.open("figure").open("div", {{"class", "wide"}});
  html.open("svg", {{"viewBox", fmt::format("0 0 {} {}", kWidth, stages * kRow + kAxis)},
                    {"class", "chart"},
                    {"role", "img"},
                    {"aria-label", "timeline of a step"}});
  time_axis(html, end, stages * kRow);
  rows.label(html, kRow);
  for (std::size_t i = 0; i < events->rows.size(); ++i) {
    const double begin = events->number(i, "begin_us").value_or(0),
                 until = events->number(i, "end_us").value_or(0);
    const auto [down, height] = lane_of(events->text(i, "stream"));
    const std::string what = events->text(i, "what");
    const double scale = (kWidth - kLabel) / end;
    const std::string batch = events->text(i, "micro_batch");
    const std::string of_batch = batch.empty() ? "" : fmt::format(" of micro-batch {}", batch);
    html.open("rect", {{"class", fmt::format("s{}", activity_of(what).colour)},
                       {"fill", "currentColor"},
                       {"x", kLabel + begin * scale},
                       {"y", rows.row(*events, i) * kRow + down},
                       {"width", std::max(0.2, (until - begin) * scale)},
                       {"height", height}});
    html.element(
        "title", {},
        fmt::format("{}{}: {} to {}, {}", activity_of(what).meaning, of_batch, time_reading(begin),
                    time_reading(until), time_reading(until - begin)));
    html.close();
  }
  html.close().close().close().newline();
}

/// GPUs by node, coloured by pipeline stage.
void placement_map(Markup& html, const ResultFile& file) {
  const ResultSection* ranks = file.section("ranks");
  if (ranks == nullptr || ranks->rows.empty()) return;
  std::map<int, std::vector<std::size_t>> nodes;
  int gpus = 1;
  for (std::size_t i = 0; i < ranks->rows.size(); ++i) {
    nodes[static_cast<int>(ranks->number(i, "node").value_or(0))].push_back(i);
    gpus = std::max(gpus, static_cast<int>(ranks->number(i, "gpu").value_or(0)) + 1);
  }
  constexpr double kCell = 10, kGap = 6;
  const double node_width = gpus * kCell + kGap;
  const int across = std::max(1, static_cast<int>(kWidth / node_width));
  const int down = (static_cast<int>(nodes.size()) + across - 1) / across;
  html.element("h3", {}, "Ranks on GPUs");
  html.element("p", {{"class", "muted"}},
               fmt::format("{} nodes, a cell per GPU, in the colour of its pipeline stage (eight "
                           "colours in turn); hover to see the rank.",
                           nodes.size()));
  html.open("figure").open("div", {{"class", "wide"}});
  html.open("svg", {{"viewBox", fmt::format("0 0 {} {}", kWidth, down * 16 + 4)},
                    {"class", "chart"},
                    {"role", "img"},
                    {"aria-label", "ranks on GPUs"}});
  int index = 0;
  for (const auto& [node, members] : nodes) {
    const double x = index % across * node_width, y = static_cast<double>(index / across) * 16;
    for (const std::size_t i : members) {
      const int stage = static_cast<int>(ranks->number(i, "pp").value_or(0));
      html.open("rect", {{"class", fmt::format("s{}", stage % 8)},
                         {"fill", "currentColor"},
                         {"x", x + ranks->number(i, "gpu").value_or(0) * kCell},
                         {"y", y + 2},
                         {"width", kCell - 1},
                         {"height", kCell}});
      html.element(
          "title", {},
          fmt::format("rank {} on node {} GPU {}: tp {}, cp {}, ep {}, dp {}, stage {}",
                      ranks->text(i, "rank"), node, ranks->text(i, "gpu"), ranks->text(i, "tp"),
                      ranks->text(i, "cp"), ranks->text(i, "ep"), ranks->text(i, "dp"), stage));
      html.close();
    }
    ++index;
  }
  html.close().close().close().newline();
}

}  // namespace

std::string placement_section(const Report& report) {
  Markup html;
  for (const ResultFile& file : report.files) {
    if (file.kind != "strategies") continue;
    strategies(html, file);
    timeline(html, file);
    placement_map(html, file);
  }
  return section("placement", "Strategies", html);
}

}  // namespace railyard::apps
