#include "collectives/formats/measured_datasets.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "collectives/formats/json_members.hpp"
#include "collectives/formats/measured_cells.hpp"

namespace railyard::collectives {
namespace {

using core::JsonValue;

/// Positions of a table's columns.
struct Columns {
  std::optional<std::size_t> size, time, busbw, ranks, nodes, kind, type;
};

bool begins(std::string_view text, std::string_view with) { return text.starts_with(with); }

/// The first column whose name begins with one of `names`, tried in order.
std::optional<std::size_t> column(const JsonValue::List& columns,
                                  std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto* text = std::get_if<std::string>(&columns[i].data);
      if (text != nullptr && begins(*text, name)) return i;
    }
  }
  return std::nullopt;
}

Columns columns_of(const JsonValue& table) {
  const JsonValue* value = table.find("columns");
  const auto* list = value == nullptr ? nullptr : std::get_if<JsonValue::List>(&value->data);
  if (list == nullptr) return {};
  return {.size = column(*list, {"size_B", "bytes", "size", "message_B"}),
          .time = column(*list, {"time_us_outofplace", "time_us_oop", "time_us_median", "time_us",
                                 "latency_us", "time"}),
          .busbw = column(*list, {"busbw_GBps_oop", "busbw_GBps", "busbw_oop", "busbw"}),
          .ranks = column(*list, {"n_gpus", "n_ranks", "ranks", "gpus"}),
          .nodes = column(*list, {"nodes", "n_nodes"}),
          .kind = column(*list, {"op", "collective"}),
          .type = column(*list, {"dtype", "type"})};
}

const JsonValue* cell(const JsonValue::List& row, std::optional<std::size_t> at) {
  return at && *at < row.size() ? &row[*at] : nullptr;
}

std::optional<double> number(const JsonValue::List& row, std::optional<std::size_t> at) {
  const JsonValue* value = cell(row, at);
  return value == nullptr ? std::nullopt : number_of(*value);
}

std::string word(const JsonValue::List& row, std::optional<std::size_t> at) {
  const JsonValue* value = cell(row, at);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  return text == nullptr ? std::string() : *text;
}

/// nccl-tests' factor between algbw and busbw.
double bus_factor(Kind kind, int ranks) {
  const double n = ranks;
  switch (kind) {
    case Kind::all_reduce: return 2 * (n - 1) / n;
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::all_to_all: return (n - 1) / n;
    default: return 1;
  }
}

/// The properties common to all rows of a table.
struct Common {
  std::optional<Kind> kind;
  int ranks = 0, nodes = 0;
};

/// A count that is written as a number. NaN, negative values and values above 2^24 (the largest
/// cluster) become 0, which is not valid in a row.
int count_of(std::optional<double> value) {
  constexpr double kMost = 1 << 24;
  return value && *value >= 0 && *value <= kMost ? static_cast<int>(*value) : 0;
}

/// Adds a row to the table, or the reason why it cannot be read to the unread rows. Rows without a
/// size or without a time are skipped.
void add_row(const JsonValue::List& values, const Columns& at, const Common& common,
             const std::string& place, MeasuredTable& table) {
  const auto unread = [&](const std::string& problem) {
    table.unread.push_back(place + ": " + problem);
  };
  MeasuredRow row;
  const auto kind = at.kind ? collective_named(word(values, at.kind)) : common.kind;
  if (!kind && at.kind)
    return unread(fmt::format("'{}' is not a collective", word(values, at.kind)));
  const MeasuredCell size = size_cell(cell(values, at.size));
  if (!size.problem.empty()) return unread(size.problem);
  if (!kind || !size.value) return;
  row.collective.kind = *kind;
  row.collective.bytes = Bytes(static_cast<std::int64_t>(*size.value));
  row.collective.type = type_named(word(values, at.type));
  const auto ranks = number(values, at.ranks), nodes = number(values, at.nodes);
  row.ranks = ranks ? count_of(ranks) : common.ranks;
  row.nodes = nodes ? count_of(nodes) : common.nodes;
  const MeasuredCell time = time_cell(cell(values, at.time));
  const auto busbw = number(values, at.busbw);
  if (time.value) {
    row.time_us = *time.value;
  } else if (busbw && *busbw > 0 && row.ranks > 1) {
    row.time_us = bus_factor(*kind, row.ranks) * *size.value / *busbw / 1e3;
  } else {
    if (!time.problem.empty()) unread(time.problem);
    if (busbw && *busbw > 0) unread("a busbw alone, and the number of ranks is not stated");
    return;
  }
  table.rows.push_back(row);
}

const JsonValue::List* list_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value == nullptr ? nullptr : std::get_if<JsonValue::List>(&value->data);
}

Common common_of(const JsonValue& data) {
  Common common;
  common.kind = collective_named(text_of(data, "collective"));
  const auto ranks = number_of(data, "n_ranks");
  common.ranks = count_of(ranks ? ranks : number_of(data, "n_gpus"));
  common.nodes = count_of(number_of(data, "nodes"));
  if (common.ranks == 0)
    common.ranks = count_of(common.nodes * number_of(data, "gpus_per_node").value_or(0));
  return common;
}

/// `place`: JSON pointer of the list of rows, relative to the table.
void add_rows(const JsonValue::List& rows, const Columns& at, const Common& common,
              const std::string& place, MeasuredTable& table) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string row = fmt::format("{}/{}", place, i);
    if (const auto* values = std::get_if<JsonValue::List>(&rows[i].data))
      add_row(*values, at, common, row, table);
    else
      table.unread.push_back(row + ": not a list of cells");
  }
}

/// Curves of one machine at several counts of GPUs.
void add_series(const JsonValue& data, const Columns& at, Common common, MeasuredTable& table) {
  const auto* series = list_of(data, "series");
  if (series == nullptr) return;
  const double per_node = number_of(data, "gpus_per_node").value_or(0);
  for (std::size_t i = 0; i < series->size(); ++i) {
    const JsonValue& curve = (*series)[i];
    const auto gpus = number_of(curve, "n_gpus");
    common.ranks = count_of(gpus ? gpus : number_of(curve, "n_ranks"));
    if (per_node > 0) common.nodes = count_of(common.ranks / per_node);
    if (const auto* points = list_of(curve, "points"))
      add_rows(*points, at, common, fmt::format("series/{}/points", i), table);
  }
}

void add_environment(const JsonValue& data, MeasuredTable& table) {
  if (const JsonValue* env = data.find("env")) {
    if (const auto* members = std::get_if<JsonValue::Object>(&env->data)) {
      for (const auto& [key, value] : *members)
        table.environment.emplace_back(key, text_of(*env, key));
    }
  }
  const std::string algorithm = text_of(data, "algo");
  if (!algorithm.empty()) table.environment.emplace_back("NCCL_ALGO", algorithm);
}

MeasuredTable table_of(const JsonValue& data) {
  MeasuredTable table;
  table.name = text_of(data, "id");
  table.source = text_of(data, "source");
  for (const char* key : {"gpu", "intra", "inter"})
    table.hardware += fmt::format("{}: {}\n", key, text_of(data, key));
  for (const char* key : {"kind", "software", "env", "flags"})
    table.software += fmt::format("{}: {}\n", key, text_of(data, key));
  add_environment(data, table);
  const Columns at = columns_of(data);
  const Common common = common_of(data);
  if (!at.size || (!at.time && !at.busbw)) {
    table.left_out = "not a table of collectives: no column of sizes with times";
    return table;
  }
  if (const auto* rows = list_of(data, "rows")) add_rows(*rows, at, common, "rows", table);
  add_series(data, at, common, table);
  if (table.rows.empty())
    table.left_out = table.unread.empty() ? "no row names a collective that railyard knows"
                                          : "none of its rows can be read";
  return table;
}

}  // namespace

std::vector<MeasuredTable> measured_datasets(const JsonValue& root) {
  std::vector<MeasuredTable> tables;
  if (const auto* list = list_of(root, "datasets"))
    for (const JsonValue& data : *list) tables.push_back(table_of(data));
  return tables;
}

}  // namespace railyard::collectives
