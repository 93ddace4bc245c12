#include <fmt/format.h>

#include <cmath>

#include "apps/output/report/sections.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/bars.hpp"
#include "core/money.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

std::string fabric_name(const ResultFile& file, std::size_t row) {
  return fmt::format("{}, {}:1", file.text(row, "fabric"), file.text(row, "oversubscription"));
}

/// An amount of money if `unit` is a currency, otherwise the number with its unit.
std::string amount(double value, const std::string& unit, bool is_money) {
  return is_money ? core::to_text(Money{value, unit}) : reading(value) + ' ' + unit;
}

/// By how much a failure lengthens the step, or that the job stops.
std::string failure_text(const ResultFile& file, std::size_t row, std::string_view part) {
  const auto cut_off = file.number(row, fmt::format("{}_cuts_off_nodes", part));
  if (cut_off && *cut_off > 0)
    return fmt::format("stops, {:.0f} node{} cut off", *cut_off, *cut_off == 1 ? "" : "s");
  const auto healthy = file.number(row, "step_s"),
             failed = file.number(row, fmt::format("{}_failed_s", part));
  return healthy && failed ? fmt::format("{:+.1f} %", 100 * (*failed / *healthy - 1)) : "";
}

/// Table with a line per fabric; the one to buy is bold.
void comparison(Markup& html, const ResultFile& file) {
  const std::string currency = file.provenance_of("currency");
  html.open("div", {{"class", "scroll"}}).open("table").open("tr");
  for (const char* name : {"fabric", "price", "range of the price", "power", "switches", "cables",
                           "bisection", "step", "spine fails", "leaf fails", "cable fails"})
    html.element("th", {}, name);
  html.close().newline();
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const bool is_best = file.text(row, "buy") == "yes";
    html.open("tr", {{"class", is_best ? "best" : ""}});
    const auto cell = [&](const std::string& text) { html.element("td", {}, text); };
    const auto number = [&](std::string_view column, auto&& text) {
      const auto value = file.number(row, column);
      cell(value ? text(*value) : "");
    };
    const auto money = [&](double value) { return core::to_text(Money{value, currency}); };
    cell(fabric_name(file, row) + (is_best ? ": buy" : ""));
    if (const auto most = file.number(row, "most_gpus")) {
      html.element("td", {{"colspan", "10"}},
                   fmt::format("cannot be built: at most {:.0f} GPUs", *most));
      html.close().newline();
      continue;
    }
    number("price", money);
    const auto low = file.number(row, "price_low"), high = file.number(row, "price_high");
    cell(low && high ? fmt::format("{} to {}", money(*low), money(*high)) : "");
    number("power_kW", [](double kW) { return reading(std::round(kW)) + " kW"; });
    cell(file.text(row, "switches"));
    cell(file.text(row, "cables"));
    number("bisection_GBps", [](double rate) { return reading(rate / 1e3) + " TB/s"; });
    number("step_s", [](double step) { return reading(step) + " s"; });
    for (const char* part : {"spine", "leaf", "cable"}) cell(failure_text(file, row, part));
    html.close().newline();
  }
  html.close().close().newline();
}

/// A bar per fabric that can be built; the one to buy has the first colour.
BarFigure by_fabric(const ResultFile& file, std::string_view column, const std::string& unit) {
  const bool is_money = column == "price";
  BarFigure figure;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const auto value = file.number(row, column);
    if (!value) continue;
    const bool is_best = file.text(row, "buy") == "yes";
    std::string note = amount(*value, unit, is_money);
    if (const auto low = file.number(row, fmt::format("{}_low", column)),
        high = file.number(row, fmt::format("{}_high", column));
        low && high)
      note +=
          fmt::format(" ({} to {})", amount(*low, unit, is_money), amount(*high, unit, is_money));
    figure.bars.push_back(
        {fabric_name(file, row), *value, note + (is_best ? ", buy" : ""), is_best ? 0 : 7});
  }
  return figure;
}

/// The bill of materials of the fabric to buy, a bar per part.
BarFigure bill_bars(const ResultSection& bill, std::string_view column, const std::string& unit) {
  BarFigure figure;
  for (std::size_t row = 0; row < bill.rows.size(); ++row) {
    const auto value = bill.number(row, column);
    if (!value) continue;
    const std::string tier = bill.text(row, "tier");
    figure.bars.push_back(
        {fmt::format("{}{}", bill.text(row, "item"), tier.empty() ? "" : ", " + tier), *value,
         fmt::format("{}, {} pieces", amount(*value, unit, column == "price"),
                     bill.text(row, "count")),
         0});
  }
  return figure;
}

void write(Markup& html, BarFigure figure, std::string title, std::string caption) {
  figure.title = std::move(title);
  figure.caption = std::move(caption);
  write_bars(html, figure);
}

}  // namespace

std::string fabric_plan_section(const Report& report) {
  Markup html;
  for (const ResultFile& file : report.files) {
    if (file.kind != "plan_fabric" || file.rows.empty()) continue;
    const std::string currency = file.provenance_of("currency");
    comparison(html, file);
    write(html, by_fabric(file, "price", currency), "Price by fabric",
          "Switches, transceivers, cables and NICs; in brackets the range of the price list.");
    write(html, by_fabric(file, "power_kW", "kW"), "Power by fabric",
          "Network parts alone; in brackets the range of the price list.");
    const ResultSection* bill = file.section("bill");
    if (bill == nullptr) continue;
    write(html, bill_bars(*bill, "price", currency), "Bill of materials: price",
          "Of the fabric to buy, by part and tier.");
    write(html, bill_bars(*bill, "power_kW", "kW"), "Bill of materials: power",
          "Of the fabric to buy, by part and tier.");
  }
  return section("fabric-plan", "Fabric plan", html);
}

}  // namespace railyard::apps
