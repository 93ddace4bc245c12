#include <fmt/format.h>

#include "apps/output/report/figures/axes.hpp"
#include "apps/output/report/figures/bars.hpp"
#include "apps/output/report/sections.hpp"

namespace railyard::apps {
namespace {

std::string fabric_name(const ResultFile& file, std::size_t row) {
  return fmt::format("{}, {}:1", file.text(row, "fabric"), file.text(row, "oversubscription"));
}

/// A bar per fabric that can be built; the one to buy in the first colour.
BarFigure by_fabric(const ResultFile& file, std::string_view column, const std::string& unit) {
  BarFigure figure;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const auto value = file.number(row, column);
    if (!value) continue;
    const bool is_best = file.text(row, "buy") == "yes";
    std::string note = reading(*value) + ' ' + unit;
    if (column == "price")
      if (const auto low = file.number(row, "price_low"), high = file.number(row, "price_high");
          low && high)
        note += fmt::format(" ({} to {})", reading(*low), reading(*high));
    figure.bars.push_back(
        {fabric_name(file, row), *value, note + (is_best ? ", buy" : ""), is_best ? 0 : 7});
  }
  return figure;
}

/// The bill of materials of the fabric to buy: a bar per part.
BarFigure bill_bars(const ResultSection& bill, std::string_view column, const std::string& unit) {
  BarFigure figure;
  for (std::size_t row = 0; row < bill.rows.size(); ++row) {
    const auto value = bill.number(row, column);
    if (!value) continue;
    const std::string tier = bill.text(row, "tier");
    figure.bars.push_back(
        {fmt::format("{}{}", bill.text(row, "item"), tier.empty() ? "" : ", " + tier), *value,
         fmt::format("{} {}, {} pieces", reading(*value), unit, bill.text(row, "count")), 0});
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
  bool any = false;
  for (const ResultFile& file : report.files) {
    if (file.kind != "plan_fabric" || file.rows.empty()) continue;
    if (!any)
      html.open("section", {{"id", "fabric-plan"}}).element("h2", {}, "Fabric plan").newline();
    any = true;
    const std::string currency = file.provenance_of("currency");
    write(html, by_fabric(file, "price", currency), "Price by fabric",
          "Switches, transceivers, cables and NICs; in brackets the range of the price list.");
    write(html, by_fabric(file, "power_kW", "kW"), "Power by fabric", "Network parts alone.");
    write(html, by_fabric(file, "step_s", "s"), "Step of the job by fabric", "Healthy fabric.");
    const ResultSection* bill = file.section("bill");
    if (bill == nullptr) continue;
    write(html, bill_bars(*bill, "price", currency), "Bill of materials: price",
          "Of the fabric to buy, by part and tier.");
    write(html, bill_bars(*bill, "power_kW", "kW"), "Bill of materials: power",
          "Of the fabric to buy, by part and tier.");
  }
  if (!any) return {};
  html.close().newline();
  return html.str();
}

}  // namespace railyard::apps
