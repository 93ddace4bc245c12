#include "collectives/formats/bench_result.hpp"

#include <cstdint>
#include <variant>

#include "collectives/formats/json_members.hpp"

namespace railyard::collectives {

using core::JsonValue;

MeasuredTable measured_result(const std::string& name, const JsonValue& root) {
  MeasuredTable table{.name = name};
  const JsonValue* provenance = root.find("provenance");
  if (provenance != nullptr) table.cluster = text_of(*provenance, "cluster");
  table.software = "railyard " + text_of(root, "railyard") + ' ' + text_of(root, "kind") + '\n';
  const JsonValue* rows = root.find("rows");
  const auto* list = rows == nullptr ? nullptr : std::get_if<JsonValue::List>(&rows->data);
  for (const JsonValue& value : list == nullptr ? JsonValue::List{} : *list) {
    const auto kind = collective_named(text_of(value, "collective"));
    const auto size = number_of(value, "bytes"), time = number_of(value, "time_us");
    if (!kind || !size || !time || *size < 1 || *time <= 0) continue;
    MeasuredRow row;
    row.collective.kind = *kind;
    row.collective.bytes = Bytes(static_cast<std::int64_t>(*size));
    row.time_us = *time;
    row.ranks = static_cast<int>(number_of(value, "ranks").value_or(0));
    row.nodes = static_cast<int>(number_of(value, "nodes").value_or(0));
    row.algorithm = text_of(value, "algorithm");
    row.backend = text_of(value, "backend");
    row.channels = static_cast<int>(number_of(value, "channels").value_or(0));
    row.median_us = number_of(value, "p50_us").value_or(0);
    table.rows.push_back(row);
  }
  if (table.rows.empty()) table.left_out = "has no rows of collectives";
  return table;
}

}  // namespace railyard::collectives
