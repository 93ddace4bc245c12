#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/output/report/sections.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

/// Maximum number of ports drawn per tier: those with the largest values.
constexpr std::size_t kMostPorts = 512;

/// A heat map: a line per tier, a square per port.
struct HeatMap {
  std::string_view title, caption, column, unit;
};

struct Port {
  std::string name;
  double value = 0;
};
using Tiers = std::vector<std::pair<std::string, std::vector<Port>>>;

/// Tiers in the order of their first ports.
Tiers tiers_of(const ResultSection& ports, std::string_view column) {
  Tiers tiers;
  for (std::size_t row = 0; row < ports.rows.size(); ++row) {
    const std::string tier = ports.text(row, "tier");
    auto known = std::ranges::find(tiers, tier, &Tiers::value_type::first);
    if (known == tiers.end()) known = tiers.insert(known, {tier, {}});
    known->second.push_back({ports.text(row, "port"), ports.number(row, column).value_or(0)});
  }
  for (auto& [tier, of_tier] : tiers) {
    if (of_tier.size() <= kMostPorts) continue;
    std::ranges::stable_sort(of_tier, std::ranges::greater(), &Port::value);
    of_tier.resize(kMostPorts);
  }
  return tiers;
}

/// CSS class of a square: l0 for zero, l1 to l5 for fifths of the largest value.
int shade(double value, double most) {
  if (!(value > 0)) return 0;
  return std::clamp(1 + static_cast<int>(5 * value / most), 1, 5);
}

void write_heat(Markup& html, const HeatMap& map, const ResultSection& ports) {
  const Tiers tiers = tiers_of(ports, map.column);
  double most = 0;
  for (const auto& [tier, of_tier] : tiers)
    for (const Port& port : of_tier) most = std::max(most, port.value);
  if (!(most > 0)) return;
  html.element("h3", {}, map.title);
  html.element("p", {{"class", "muted"}},
               fmt::format("{} The darkest squares are above 4/5 of {} {}, the largest value.",
                           map.caption, reading(most), map.unit));
  html.open("div", {{"class", "heat"}}).newline();
  for (const auto& [tier, of_tier] : tiers) {
    html.element("span", {}, tier).open("div");
    for (const Port& port : of_tier)
      html.element("i",
                   {{"class", fmt::format("l{}", shade(port.value, most))},
                    {"title", fmt::format("{}: {} {}", port.name, reading(port.value), map.unit)}});
    html.close().newline();
  }
  html.close().newline();
}

std::string sharers(const std::string& connections) {
  return fmt::format(" ({} connection{})", connections, connections == "1" ? "" : "s");
}

void write_victims(Markup& html, const ResultSection& victims) {
  constexpr std::array<std::string_view, 6> kHeadings{"Transfer", "Size",      "Time, us",
                                                      "Slowdown", "Waited at", "Waited for"};
  html.element("h3", {}, "Transfers that lost most time");
  html.element(
      "p", {{"class", "muted"}},
      "Slowdown is the time over that on an empty network. A transfer waits at the port of "
      "its path with the longest queue and pauses; the pauses lead to the port that it "
      "waited for, which the given number of connections share.");
  html.open("div", {{"class", "wide"}}).open("table").open("tr");
  for (const std::string_view heading : kHeadings) html.element("th", {}, heading);
  html.close().newline();
  for (std::size_t row = 0; row < victims.rows.size(); ++row) {
    const auto number = [&](std::string_view column) {
      return victims.number(row, column).value_or(0);
    };
    const std::string cause = victims.text(row, "waited_for");
    html.open("tr");
    html.element("td", {},
                 fmt::format("rank {} to {}", victims.text(row, "source"),
                             victims.text(row, "destination")));
    html.element("td", {{"class", "num"}}, size_label(number("bytes")));
    html.element("td", {{"class", "num"}}, reading(number("fct_us")));
    html.element("td", {{"class", "num"}}, reading(number("slowdown")));
    html.element("td", {}, cause.empty() ? "its NIC or node" : victims.text(row, "waited_at"));
    html.element("td", {}, cause.empty() ? "" : cause + sharers(victims.text(row, "connections")));
    html.close().newline();
  }
  html.close().close().newline();
}

}  // namespace

std::string packet_section(const Report& report) {
  constexpr std::array kMaps{
      HeatMap{"Deepest queue of each port", "One square per port with a queue or a pause.",
              "max_queue_KB", "KB"},
      HeatMap{"Pauses of each port",
              "Time for which the sender of a link was paused, over the "
              "time of the run.",
              "paused_pct", "%"}};
  Markup html;
  for (const ResultFile& file : report.files) {
    const ResultSection *ports = file.section("ports"), *victims = file.section("victims");
    if (ports == nullptr && victims == nullptr) continue;
    html.element("p", {{"class", "muted"}}, file.provenance_of("command"));
    if (ports != nullptr)
      for (const HeatMap& map : kMaps) write_heat(html, map, *ports);
    if (victims != nullptr && !victims->rows.empty()) write_victims(html, *victims);
  }
  return section("packets", "Queues and pauses", html);
}

}  // namespace railyard::apps
