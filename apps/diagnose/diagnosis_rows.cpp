#include "apps/diagnose/diagnosis_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

using hw::Baseline;
using hw::Finding;

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

constexpr std::array<Column<Finding>, 16> kColumns{{
    {"kind", [](const Finding& f) -> RowValue { return f.kind; }},
    {"component", [](const Finding& f) -> RowValue { return f.component; }},
    {"sick", [](const Finding& f) -> RowValue { return f.is_sick; }},
    {"ratio", [](const Finding& f) -> RowValue { return if_known(f.ratio); }, kHundredths},
    {"ratio_p10", [](const Finding& f) -> RowValue { return if_known(f.low); }, kHundredths},
    {"ratio_p90", [](const Finding& f) -> RowValue { return if_known(f.high); }, kHundredths},
    {"runs", [](const Finding& f) -> RowValue { return whole_number(f.runs); }},
    {"slow_runs", [](const Finding& f) -> RowValue { return whole_number(f.slow); }},
    {"failed_runs", [](const Finding& f) -> RowValue { return whole_number(f.failed); }},
    {"probability", [](const Finding& f) -> RowValue { return if_known(f.probability); },
     kThousandths},
    {"log10_evidence", [](const Finding& f) -> RowValue { return if_known(f.log10_evidence); },
     kTenths},
    {"nodes", [](const Finding& f) -> RowValue { return text_or_nothing(joined(f.nodes, " ")); }},
    {"gpus", [](const Finding& f) -> RowValue { return text_or_nothing(joined(f.gpus, "+")); }},
    {"alternatives",
     [](const Finding& f) -> RowValue { return text_or_nothing(joined(f.alternatives, "; ")); }},
    {"evidence", [](const Finding& f) -> RowValue { return text_or_nothing(f.evidence); }},
    {"next_test", [](const Finding& f) -> RowValue { return text_or_nothing(f.next_test); }},
}};

/// A finding at one size.
struct EffectRow {
  const Finding* finding;
  hw::SizeEffect size;
};

constexpr std::array<Column<EffectRow>, 9> kEffectColumns{{
    {"component", [](const EffectRow& r) -> RowValue { return r.finding->component; }},
    {"collective",
     [](const EffectRow& r) -> RowValue { return text_or_nothing(r.size.collective); }, kShared},
    {"gpus_per_node",
     [](const EffectRow& r) -> RowValue { return std::int64_t{r.size.gpus_per_node}; }},
    {"bytes",
     [](const EffectRow& r) -> RowValue { return r.size.bytes.count(); },
     {.is_size = true}},
    {"runs", [](const EffectRow& r) -> RowValue { return whole_number(r.size.runs); }},
    {"slow_runs", [](const EffectRow& r) -> RowValue { return whole_number(r.size.slow); }},
    {"ratio", [](const EffectRow& r) -> RowValue { return r.size.ratio; }, kHundredths},
    {"ratio_p10", [](const EffectRow& r) -> RowValue { return r.size.low; }, kHundredths},
    {"ratio_p90", [](const EffectRow& r) -> RowValue { return r.size.high; }, kHundredths},
}};

constexpr std::array<Column<Baseline>, 10> kBaselineColumns{{
    {"collective", [](const Baseline& b) -> RowValue { return text_or_nothing(b.collective); },
     kShared},
    {"gpus_per_node", [](const Baseline& b) -> RowValue { return std::int64_t{b.gpus_per_node}; }},
    {"bytes", [](const Baseline& b) -> RowValue { return b.bytes.count(); }, {.is_size = true}},
    {"runs", [](const Baseline& b) -> RowValue { return whole_number(b.runs); }},
    {"healthy_us", [](const Baseline& b) -> RowValue { return microseconds(b.time); }, kTenths},
    {"busbw_GBps", [](const Baseline& b) { return if_positive(b.busbw_GBps); }, kHundredths},
    {"spread_pct", [](const Baseline& b) -> RowValue { return b.spread_pct; }, kHundredths},
    {"repeat_pct", [](const Baseline& b) { return if_positive(b.repeat_pct); }, kHundredths},
    {"predicted_us", [](const Baseline& b) -> RowValue { return microseconds(b.expected); },
     kTenths},
    {"ratio_to_predicted",
     [](const Baseline& b) -> RowValue {
       return b.expected ? RowValue(b.time.seconds() / b.expected->seconds()) : RowValue();
     },
     kHundredths},
}};

}  // namespace

RowTable tabulate_findings(const hw::Diagnosis& diagnosis) {
  return tabulate(kColumns, diagnosis.findings);
}

RowTable summarise_findings(const hw::Diagnosis& diagnosis) {
  RowTable table = tabulate_findings(diagnosis);
  constexpr std::size_t kPrinted = 11;  // columns up to log10_evidence
  table.columns.resize(kPrinted);
  std::rotate(table.columns.begin() + 1, table.columns.begin() + 2, table.columns.end());
  for (auto& row : table.rows) {
    row.resize(kPrinted);
    std::rotate(row.begin() + 1, row.begin() + 2, row.end());
  }
  return table;
}

RowTable tabulate_size_effects(const hw::Diagnosis& diagnosis) {
  std::vector<EffectRow> rows;
  for (const Finding& finding : diagnosis.findings)
    for (const hw::SizeEffect& size : finding.sizes) rows.push_back({&finding, size});
  return tabulate(kEffectColumns, rows);
}

RowTable tabulate_baselines(const hw::Diagnosis& diagnosis) {
  return tabulate(kBaselineColumns, diagnosis.baselines);
}

}  // namespace railyard::apps
