#include "apps/explain/choice_rows.hpp"

#include <array>

#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

RowValue if_allowed(const ChoiceRow& row, double value) {
  return row.choice.why_not.empty() ? RowValue(value) : RowValue();
}

/// NCCL's table has entries that NCCL never chooses.
RowValue if_tabled(const ChoiceRow& row, double value) {
  return row.choice.bandwidth_GBps > 0 ? RowValue(value) : if_allowed(row, value);
}

constexpr std::array<Column<ChoiceRow>, 12> kColumns{{
    {"collective", [](const ChoiceRow& r) -> RowValue { return r.collective; }, kShared},
    {"bytes",
     [](const ChoiceRow& r) -> RowValue { return r.choice.bytes.count(); },
     {.is_size = true}},
    {"algorithm", [](const ChoiceRow& r) -> RowValue { return r.choice.algorithm; }},
    {"protocol",
     [](const ChoiceRow& r) -> RowValue { return std::string(to_text(r.choice.protocol)); }},
    {"channels",
     [](const ChoiceRow& r) {
       return r.choice.why_not.empty() ? RowValue(std::int64_t{r.choice.channels}) : RowValue();
     }},
    {"latency_us", [](const ChoiceRow& r) { return if_tabled(r, r.choice.latency_us); },
     kHundredths},
    {"bandwidth_GBps", [](const ChoiceRow& r) { return if_tabled(r, r.choice.bandwidth_GBps); },
     kHundredths},
    {"time_us", [](const ChoiceRow& r) { return if_allowed(r, r.choice.time_us); }, kHundredths},
    {"allowed", [](const ChoiceRow& r) -> RowValue { return r.choice.why_not.empty(); }},
    {"chosen", [](const ChoiceRow& r) -> RowValue { return r.choice.chosen; }},
    {"bound_by",
     [](const ChoiceRow& r) -> RowValue {
       return r.choice.why_not.empty() ? r.choice.bound_by : r.choice.why_not;
     }},
    {"predicted_us",
     [](const ChoiceRow& r) {
       return r.predicted_us ? if_allowed(r, *r.predicted_us) : RowValue();
     },
     {.decimals = 2, .before = "allowed"}},
}};

}  // namespace

RowTable tabulate_choices(const std::vector<ChoiceRow>& rows) { return tabulate(kColumns, rows); }

}  // namespace railyard::apps
