#include <array>
#include <cstdint>

#include "apps/explain/explain_sections.hpp"
#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

RowValue if_estimated(const SymmetricRow& row, RowValue value) {
  return row.estimate.time_us > 0 ? value : RowValue();
}

constexpr std::array<Column<SymmetricRow>, 8> kColumns{{
    {"bytes", [](const SymmetricRow& r) -> RowValue { return r.size.count(); }, {.is_size = true}},
    {"kernel", [](const SymmetricRow& r) -> RowValue { return std::string(r.estimate.name); }},
    {"blocks",
     [](const SymmetricRow& r) {
       return r.estimate.blocks > 0 ? RowValue(std::int64_t{r.estimate.blocks}) : RowValue();
     }},
    {"time_us", [](const SymmetricRow& r) { return if_estimated(r, double{r.estimate.time_us}); },
     kHundredths},
    {"selection_us",
     [](const SymmetricRow& r) { return if_estimated(r, double{r.estimate.selection_us}); },
     kHundredths},
    {"available", [](const SymmetricRow& r) -> RowValue { return r.estimate.why_not.empty(); }},
    {"chosen", [](const SymmetricRow& r) -> RowValue { return r.estimate.chosen; }},
    {"why_not", [](const SymmetricRow& r) -> RowValue { return r.estimate.why_not; }},
}};

}  // namespace

RowTable symmetric_rows(std::span<const SymmetricRow> rows) { return tabulate(kColumns, rows); }

}  // namespace railyard::apps
