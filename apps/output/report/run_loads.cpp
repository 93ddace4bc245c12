#include "apps/output/report/run_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/config/json_value.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"
#include "topology/picture/drawing.hpp"
#include "topology/picture/topology_picture.hpp"

namespace railyard::apps {

using namespace core::drawing;
using topology::picture::CableShade;
using topology::picture::load_class;
using topology::picture::TierShade;

namespace {

/// The tiers with traffic in any run, in the order of their first appearance.
std::vector<std::string> tier_columns(std::span<const RunLoad> runs) {
  std::vector<std::string> columns;
  for (const RunLoad& run : runs) {
    for (const TierLoad& load : run.tiers) {
      const bool known =
          std::find(columns.begin(), columns.end(), tier_label(load)) != columns.end();
      if (!load.pod && !known && load.max_utilisation > 0) columns.push_back(tier_label(load));
    }
  }
  return columns;
}

void load_cell(Markup& html, const RunLoad& run, const std::string& column) {
  const auto load = std::find_if(run.tiers.begin(), run.tiers.end(), [&](const TierLoad& l) {
    return !l.pod && tier_label(l) == column;
  });
  if (load == run.tiers.end()) {
    html.element("td", {{"class", "num"}}, "–");
    return;
  }
  html.open("td", {{"class", fmt::format("num load b{}", load_class(load->max_utilisation))},
                   {"data-value", fmt::format("{}", load->max_utilisation)},
                   {"title", load->busiest.empty() ? std::string() : "busiest: " + load->busiest}});
  html.text(fmt::format("{:.0f} %", load->max_utilisation * 100));
  html.element("small", {}, fmt::format("mean {:.0f} %", load->mean_utilisation * 100)).close();
}

std::vector<CableShade> cables_of(const ResultFile& file, std::size_t row) {
  std::vector<CableShade> shades;
  const ResultSection* cables = file.section("cables");
  if (cables == nullptr) return shades;
  for (std::size_t i = 0; i < cables->rows.size(); ++i) {
    if (cables->number(i, "row") != static_cast<double>(row)) continue;
    shades.push_back({cables->text(i, "cable"), std::max(cables->number(i, "up").value_or(0),
                                                         cables->number(i, "down").value_or(0))});
  }
  return shades;
}

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<RunLoad> collect_loads(std::span<const CurveChart> charts,
                                   std::span<const ResultFile> files) {
  std::vector<RunLoad> runs;
  for (const CurveChart& chart : charts) {
    for (const Curve& curve : chart.curves) {
      const CurvePoint& point = curve.points.back();
      const ResultFile& file = files[point.file];
      const std::string title = title_of(chart);
      RunLoad run{.label = fmt::format("{} {}{}{}", title, size_label(point.bytes),
                                       curve.label == title ? "" : ", ",
                                       curve.label == title ? "" : curve.label),
                  .bound_by = point.bound_by,
                  .time_us = point.time_us,
                  .busbw_GBps = point.busbw_GBps,
                  .tiers = {},
                  .cables = cables_of(file, point.row),
                  .cluster = file.provenance_of("cluster"),
                  .nodes = whole_number(file.provenance_of("nodes"))};
      for (const TierLoad& load : file.links) {
        if (load.row == point.row) run.tiers.push_back(load);
      }
      if (!run.tiers.empty()) runs.push_back(std::move(run));
    }
  }
  return runs;
}

std::string tier_label(const TierLoad& load) {
  return load.direction.empty() ? load.tier : load.tier + " " + load.direction;
}

std::vector<TierShade> shades_of(const RunLoad& run) {
  std::vector<TierShade> shades;
  for (const TierLoad& load : run.tiers) {
    const auto found = std::find_if(shades.begin(), shades.end(), [&](const TierShade& shade) {
      return shade.tier == load.tier && shade.pod == load.pod;
    });
    if (found == shades.end()) {
      shades.push_back({load.tier, load.pod, load.max_utilisation});
    } else {
      found->utilisation = std::max(found->utilisation, load.max_utilisation);
    }
  }
  return shades;
}

std::string load_table(std::span<const RunLoad> runs) {
  const std::vector<std::string> columns = tier_columns(runs);
  Markup html;
  html.open("div", {{"class", "scroll"}})
      .open("table", {{"class", "sortable"}})
      .open("thead")
      .open("tr");
  html.element("th", {}, "run")
      .element("th", {{"class", "num"}}, "time")
      .element("th", {{"class", "num"}}, "busbw GB/s");
  for (const std::string& column : columns) html.element("th", {{"class", "num load"}}, column);
  html.element("th", {{"class", "load"}}, "bound by")
      .close()
      .close()
      .newline()
      .open("tbody")
      .newline();
  for (const RunLoad& run : runs) {
    html.open("tr").element("td", {}, run.label);
    html.element("td", {{"class", "num"}, {"data-value", fmt::format("{}", run.time_us)}},
                 time_reading(run.time_us));
    html.element("td", {{"class", "num"}, {"data-value", fmt::format("{}", run.busbw_GBps)}},
                 reading(run.busbw_GBps));
    for (const std::string& column : columns) load_cell(html, run, column);
    html.element("td", {{"class", "bound"}}, run.bound_by).close().newline();
  }
  html.close().close().close().newline();
  return html.str();
}

std::string loads_json(std::span<const RunLoad> runs) {
  core::JsonValue list = core::JsonValue::list();
  for (const RunLoad& run : runs) {
    core::JsonValue loads = core::JsonValue::object();
    for (const TierShade& shade : shades_of(run)) {
      const std::string key = shade.pod ? fmt::format("{}/{}", shade.tier, *shade.pod) : shade.tier;
      loads.set(key, {shade.utilisation});
    }
    core::JsonValue entry = core::JsonValue::object();
    entry.set("label", core::JsonValue::text(run.label));
    entry.set("bound_by", core::JsonValue::text(run.bound_by));
    entry.set("loads", std::move(loads));
    core::JsonValue cables = core::JsonValue::object();
    for (const CableShade& shade : run.cables) cables.set(shade.cable, {shade.utilisation});
    entry.set("cables", std::move(cables));
    list.push(std::move(entry));
  }
  std::string out;
  for (const char c : core::to_text(list)) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace railyard::apps
