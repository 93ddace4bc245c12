#include "apps/plan/train/assumption_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "placement/capacity/budget/network_power.hpp"

namespace railyard::apps {
namespace {

using placement::TrainingOption;

/// An assumption, the power of an item of the price list, or what the job does without a spare.
struct AssumptionRow {
  std::string assumption;
  RowValue value, low, high;
  std::string unit, flag, source;
};
constexpr std::array<Column<AssumptionRow>, 7> kAssumptions{{
    {"assumption", [](const AssumptionRow& r) -> RowValue { return r.assumption; }},
    {"value", [](const AssumptionRow& r) -> RowValue { return r.value; }},
    {"low", [](const AssumptionRow& r) -> RowValue { return r.low; }},
    {"high", [](const AssumptionRow& r) -> RowValue { return r.high; }},
    {"unit", [](const AssumptionRow& r) -> RowValue { return r.unit; }},
    {"flag", [](const AssumptionRow& r) -> RowValue { return r.flag; }},
    {"source", [](const AssumptionRow& r) -> RowValue { return r.source; }},
}};

/// Adds the power of an item of the price list, unless --assume replaces it or it is there.
void add_listed(std::vector<AssumptionRow>& rows,
                const std::optional<placement::ListedPower>& listed, std::string_view key,
                const placement::Assumptions& assumed) {
  if (!listed || assumed.is_set(key)) return;
  const std::string name = "power of " + listed->item;
  if (std::ranges::find(rows, name, &AssumptionRow::assumption) != rows.end()) return;
  const auto watts = [&](placement::RangeEnd end) {
    return placement::network_watts(listed, key, assumed, end);
  };
  rows.push_back({.assumption = name,
                  .value = watts(placement::RangeEnd::value),
                  .low = watts(placement::RangeEnd::better),
                  .high = watts(placement::RangeEnd::worse),
                  .unit = "W",
                  .flag = fmt::format("--assume {}=", key),
                  .source = listed->source});
}

std::string action_without_spare(const std::string& choice) {
  if (choice == "wait") return "the job waits for a repair";
  if (choice == "shrink") return "the job continues on the remaining nodes";
  return "the default: the faster of wait and shrink, for each failure";
}

}  // namespace

RowTable tabulate_assumptions(const placement::Assumptions& assumed, const PlanParts& parts,
                              std::span<const TrainingOption> options) {
  std::vector<AssumptionRow> rows;
  for (const placement::Assumption& one : assumed.all()) {
    if (one.what == placement::AssumedFor::purchase && !parts.purchase) continue;
    if (one.what == placement::AssumedFor::grey_failures && !parts.grey) continue;
    rows.push_back({.assumption = std::string(one.key),
                    .value = one.value,
                    .low = one.low,
                    .high = one.high,
                    .unit = std::string(one.unit),
                    .flag = fmt::format("--assume {}=", one.key),
                    .source = std::string(one.source)});
  }
  for (const TrainingOption& option : options)
    for (const placement::TierParts& tier : option.parts.tiers) {
      add_listed(rows, tier.switch_power, "switch_power", assumed);
      add_listed(rows, tier.end_power, "optics_power", assumed);
    }
  rows.push_back({.assumption = "without a spare",
                  .value = parts.without_spare,
                  .low = {},
                  .high = {},
                  .unit = {},
                  .flag = "--without-spare",
                  .source = action_without_spare(parts.without_spare)});
  return tabulate(kAssumptions, rows);
}

}  // namespace railyard::apps
