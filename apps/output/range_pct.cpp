#include "apps/output/range_pct.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace railyard::apps {
namespace {

/// Adds the column range_pct: `range_of` applied to the whole number in column `by` of each row.
/// Does nothing if there is no such column.
void add_range_pct(RowTable& rows, std::string_view by,
                   const std::function<std::optional<double>(std::int64_t)>& range_of) {
  const auto column = std::ranges::find(rows.columns, by, &Heading::name);
  if (column == rows.columns.end()) return;
  const auto index = static_cast<std::size_t>(column - rows.columns.begin());
  rows.columns.push_back({"range_pct", {.decimals = 1}});
  for (auto& row : rows.rows) {
    const auto range = range_of(std::get<std::int64_t>(row[index]));
    row.push_back(range ? RowValue(*range) : RowValue());
  }
}

/// "gpu", "H100-SXM5-80GB: measured (6 tables)", ...: for the provenance of a result.
void add_evidence(const std::vector<collectives::nccl::PartEvidence>& parts,
                  Provenance& provenance) {
  for (const collectives::nccl::PartEvidence& known : parts) {
    const std::string text = collectives::nccl::to_text(known);
    const std::size_t space = text.find(' ');
    provenance.facts.emplace_back("evidence " + text.substr(0, space), text.substr(space + 1));
  }
}

}  // namespace

std::vector<std::string> add_machine_range(const collectives::nccl::MachineRange& range,
                                           bool requested, RowTable& rows, Provenance& provenance) {
  if (!requested && !range.is_nominal()) return {};
  add_range_pct(rows, "bytes", [&](std::int64_t bytes) { return range.range_pct(Bytes(bytes)); });
  add_evidence(range.parts(), provenance);
  return range.notes();
}

std::vector<std::string> add_step_range(const placement::StepRange& range, bool requested,
                                        ResultDocument& document) {
  if (!requested && !range.is_nominal()) return {};
  const auto range_of = [&](std::int64_t gpus) { return range.range_pct(static_cast<int>(gpus)); };
  add_range_pct(document.rows, "gpus", range_of);
  if (document.summary) add_range_pct(*document.summary, "gpus", range_of);
  document.provenance.notes.insert(document.provenance.notes.end(), range.notes().begin(),
                                   range.notes().end());
  return range.notes();
}

}  // namespace railyard::apps
