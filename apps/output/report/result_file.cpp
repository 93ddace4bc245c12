#include "apps/output/report/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <variant>

#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using core::JsonValue;

Cell to_cell(const JsonValue& value) {
  if (value.is_null()) return {};
  if (const auto* text = std::get_if<std::string>(&value.data)) return {*text, std::nullopt};
  if (const auto* flag = std::get_if<bool>(&value.data))
    return {*flag ? "yes" : "no", std::nullopt};
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) {
    return {core::to_text(value), static_cast<double>(*whole)};
  }
  if (const auto* number = std::get_if<double>(&value.data)) return {core::to_text(value), *number};
  return {core::to_text(value), std::nullopt};
}

void read_provenance(const JsonValue& value, const std::string& name, ResultFile& file) {
  const auto* object = std::get_if<JsonValue::Object>(&value.data);
  if (object == nullptr) {
    file.provenance.emplace_back(name, to_cell(value).text);
    return;
  }
  for (const auto& [key, inner] : *object)
    read_provenance(inner, name.empty() ? key : name + "." + key, file);
}

void read_answers(const JsonValue& answers, ResultFile& file, Diagnostics& problems) {
  const auto* list = std::get_if<JsonValue::List>(&answers.data);
  if (list == nullptr) return problems.add("/answers", "must be a list");
  for (const JsonValue& answer : *list) file.answers.push_back(to_cell(answer).text);
}

void read_rows(const JsonValue::List& rows, const std::string& name, ResultSection& file,
               Diagnostics& problems) {
  std::map<std::string, std::size_t, std::less<>> columns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Cell>& cells = file.rows.emplace_back();
    const auto* row = std::get_if<JsonValue::Object>(&rows[i].data);
    if (row == nullptr) {
      problems.add(fmt::format("/{}/{}", name, i), "a row must be an object");
      continue;
    }
    for (const auto& [key, value] : *row) {
      const auto [column, is_new] = columns.emplace(key, file.columns.size());
      if (is_new) file.columns.push_back(key);
      cells.resize(std::max(cells.size(), column->second + 1));
      cells[column->second] = to_cell(value);
    }
  }
  for (std::vector<Cell>& cells : file.rows) cells.resize(file.columns.size());
}

/// Reads one entry of "links"; adds errors to the problems.
TierLoad read_load(const JsonValue& entry, const std::string& pointer, std::size_t rows,
                   Diagnostics& problems) {
  TierLoad load;
  const auto number = [&](const char* key) {
    const JsonValue* found = entry.find(key);
    const auto value = found == nullptr ? std::nullopt : to_cell(*found).number;
    const bool good = value && *value >= 0;
    if (!good) problems.add(pointer + "/" + key, "a number of at least 0 is needed");
    return good ? *value : 0.0;
  };
  const auto text = [&](const char* key) {
    const JsonValue* found = entry.find(key);
    return found == nullptr ? std::string() : to_cell(*found).text;
  };
  const double row = number("row");
  if (row < static_cast<double>(rows)) {
    load.row = static_cast<std::size_t>(row);
  } else {
    problems.add(pointer + "/row", fmt::format("there is no row {}", row),
                 fmt::format("the file has {} rows", rows));
  }
  load.tier = text("tier");
  if (load.tier.empty()) problems.add(pointer + "/tier", "the name of a tier is needed");
  load.direction = text("direction");
  if (!text("pod").empty()) load.pod = static_cast<int>(std::min(number("pod"), 1e9));
  load.links = number("links");
  load.max_utilisation = number("max_utilisation");
  load.mean_utilisation = number("mean_utilisation");
  load.busiest = text("busiest");
  return load;
}

void read_links(const JsonValue& links, ResultFile& file, Diagnostics& problems) {
  const auto* list = std::get_if<JsonValue::List>(&links.data);
  if (list == nullptr) return problems.add("/links", "must be a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string pointer = fmt::format("/links/{}", i);
    if (std::holds_alternative<JsonValue::Object>((*list)[i].data)) {
      file.links.push_back(read_load((*list)[i], pointer, file.rows.size(), problems));
    } else {
      problems.add(pointer, "an entry must be an object");
    }
  }
}

}  // namespace

std::optional<std::size_t> ResultSection::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const Cell* ResultSection::cell(std::size_t row, std::string_view column_name) const {
  const auto index = column(column_name);
  if (!index || rows[row][*index].text.empty()) return nullptr;
  return &rows[row][*index];
}

std::optional<double> ResultSection::number(std::size_t row, std::string_view column_name) const {
  const Cell* found = cell(row, column_name);
  return found == nullptr ? std::nullopt : found->number;
}

std::string ResultSection::text(std::size_t row, std::string_view column_name) const {
  const Cell* found = cell(row, column_name);
  return found == nullptr ? std::string() : found->text;
}

const ResultSection* ResultFile::section(std::string_view name) const {
  for (const auto& [known, rows_of] : sections) {
    if (known == name) return &rows_of;
  }
  return nullptr;
}

std::string ResultFile::provenance_of(std::string_view key) const {
  for (const auto& [name, value] : provenance) {
    if (name == key) return value;
  }
  return {};
}

ResultFile parse_result_file(const std::string& name, std::string_view text) {
  const JsonValue json = core::parse_json(text, name);
  const JsonValue* rows = json.find("rows");
  const auto* list = rows == nullptr ? nullptr : std::get_if<JsonValue::List>(&rows->data);
  if (list == nullptr) {
    throw InputError(name, "/rows", "a list of rows is needed",
                     "railyard report reads what --json FILE wrote");
  }
  ResultFile file;
  Diagnostics problems(name);
  const auto text_of = [&](const char* key) {
    const JsonValue* found = json.find(key);
    return found == nullptr ? std::string() : to_cell(*found).text;
  };
  file.path = name;
  file.version = text_of("railyard");
  file.kind = text_of("kind");
  if (const JsonValue* provenance = json.find("provenance")) read_provenance(*provenance, "", file);
  if (const JsonValue* answers = json.find("answers")) read_answers(*answers, file, problems);
  read_rows(*list, "rows", file, problems);
  for (const char* section :
       {"timeline", "ranks", "cables", "ports", "victims", "scaling", "time", "wastes", "power",
        "cost", "what_helps", "bill", "runs", "pareto", "load_sweep", "latency", "steps"}) {
    const JsonValue* found = json.find(section);
    const auto* lines = found == nullptr ? nullptr : std::get_if<JsonValue::List>(&found->data);
    if (lines == nullptr) continue;
    auto& [key, content] = file.sections.emplace_back(section, ResultSection{});
    read_rows(*lines, key, content, problems);
  }
  if (const JsonValue* links = json.find("links")) read_links(*links, file, problems);
  problems.throw_if_any();
  return file;
}

ResultFile read_result_file(const std::string& path) {
  return parse_result_file(path, core::read_text_file(path));
}

bool is_validation(const ResultFile& file) { return file.kind == "validation"; }

}  // namespace railyard::apps
