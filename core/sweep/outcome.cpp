#include "core/sweep/outcome.hpp"

#include <cmath>

#include "core/config/json_value.hpp"

namespace railyard::core::sweep {
namespace {

JsonValue json_of(const Value& value) {
  return std::visit(
      []<class T>(const T& held) -> JsonValue {
        if constexpr (std::is_same_v<T, std::monostate>)
          return {};
        else if constexpr (std::is_same_v<T, double>)
          return std::isfinite(held) ? JsonValue{held} : JsonValue{};
        else
          return {held};
      },
      value);
}

Value value_of(const JsonValue& json) {
  return std::visit(
      []<class T>(const T& held) -> Value {
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                      std::is_same_v<T, double> || std::is_same_v<T, std::string>)
          return held;
        else
          return {};
      },
      json.data);
}

JsonValue json_of(const Column& column) {
  JsonValue json = JsonValue::object();
  json.set("name", JsonValue::text(column.name));
  json.set("decimals", {std::int64_t{column.decimals}});
  json.set("is_size", {column.is_size});
  json.set("joins_heading", {column.joins_heading});
  return json;
}

JsonValue json_of(const Table& table) {
  JsonValue columns = JsonValue::list(), rows = JsonValue::list();
  for (const Column& column : table.columns) columns.push(json_of(column));
  for (const auto& row : table.rows) {
    JsonValue values = JsonValue::list();
    for (const Value& value : row) values.push(json_of(value));
    rows.push(std::move(values));
  }
  JsonValue json = JsonValue::object();
  json.set("kind", JsonValue::text(table.kind));
  json.set("columns", std::move(columns));
  json.set("rows", std::move(rows));
  return json;
}

const JsonValue::List& list_at(const JsonValue& json, std::string_view key) {
  return std::get<JsonValue::List>(json.find(key)->data);
}

std::string text_at(const JsonValue& json, std::string_view key) {
  return std::get<std::string>(json.find(key)->data);
}

Table table_of(const JsonValue& json) {
  Table table{.kind = text_at(json, "kind"), .columns = {}, .rows = {}};
  for (const JsonValue& column : list_at(json, "columns"))
    table.columns.push_back(
        {.name = text_at(column, "name"),
         .decimals = static_cast<int>(std::get<std::int64_t>(column.find("decimals")->data)),
         .is_size = std::get<bool>(column.find("is_size")->data),
         .joins_heading = std::get<bool>(column.find("joins_heading")->data)});
  for (const JsonValue& row : list_at(json, "rows")) {
    auto& values = table.rows.emplace_back();
    for (const JsonValue& value : std::get<JsonValue::List>(row.data))
      values.push_back(value_of(value));
  }
  return table;
}

}  // namespace

std::string to_text(const Outcome& outcome) {
  JsonValue tables = JsonValue::list();
  for (const Table& table : outcome.tables) tables.push(json_of(table));
  JsonValue json = JsonValue::object();
  json.set("exit_code", {std::int64_t{outcome.exit_code}});
  json.set("error", JsonValue::text(outcome.error));
  json.set("notes", JsonValue::text(outcome.notes));
  json.set("seconds", {outcome.seconds});
  json.set("tables", std::move(tables));
  return core::to_text(json);
}

Outcome outcome_of(std::string_view text) {
  const JsonValue json = parse_json(text, "outcome");
  Outcome outcome{
      .exit_code = static_cast<int>(std::get<std::int64_t>(json.find("exit_code")->data)),
      .error = text_at(json, "error"),
      .notes = text_at(json, "notes"),
      .seconds = std::get<double>(json.find("seconds")->data),
      .tables = {}};
  for (const JsonValue& table : list_at(json, "tables")) outcome.tables.push_back(table_of(table));
  return outcome;
}

}  // namespace railyard::core::sweep
