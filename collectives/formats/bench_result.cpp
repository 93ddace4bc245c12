#include "collectives/formats/bench_result.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "collectives/formats/json_members.hpp"
#include "collectives/formats/measured_cells.hpp"

namespace railyard::collectives {

using core::JsonValue;

MeasuredTable measured_result(const std::string& name, const JsonValue& root) {
  MeasuredTable table{.name = name};
  const JsonValue* provenance = root.find("provenance");
  if (provenance != nullptr) table.cluster = text_of(*provenance, "cluster");
  table.software = "railyard " + text_of(root, "railyard") + ' ' + text_of(root, "kind") + '\n';
  const JsonValue* rows = root.find("rows");
  const auto* list = rows == nullptr ? nullptr : std::get_if<JsonValue::List>(&rows->data);
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const JsonValue& value = (*list)[i];
    const auto kind = collective_named(text_of(value, "collective"));
    if (!kind) continue;  // rows of other commands
    const MeasuredCell size = size_cell(value.find("bytes")),
                       time = time_cell(value.find("time_us"));
    for (const std::string& problem : {size.problem, time.problem})
      if (!problem.empty()) table.unread.push_back(fmt::format("rows/{}: {}", i, problem));
    if (!size.value || !time.value) continue;
    MeasuredRow row;
    row.collective.kind = *kind;
    row.collective.bytes = Bytes(static_cast<std::int64_t>(*size.value));
    row.time_us = *time.value;
    row.ranks = static_cast<int>(number_of(value, "ranks").value_or(0));
    row.nodes = static_cast<int>(number_of(value, "nodes").value_or(0));
    row.algorithm = text_of(value, "algorithm");
    row.backend = text_of(value, "backend");
    row.channels = static_cast<int>(number_of(value, "channels").value_or(0));
    row.median_us = number_of(value, "p50_us").value_or(0);
    table.rows.push_back(row);
  }
  if (table.rows.empty())
    table.left_out =
        table.unread.empty() ? "has no rows of collectives" : "none of its rows can be read";
  return table;
}

}  // namespace railyard::collectives
