#include "placement/measured/measured_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/config/csv_table.hpp"
#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using core::JsonValue;

std::string scalar_text(const JsonValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&value.data)) return fmt::format("{}", *number);
  if (const auto* truth = std::get_if<bool>(&value.data)) return *truth ? "true" : "false";
  return {};
}

/// Adds a value, or the members of an object or list, to the cells.
void flatten(const std::string& name, const JsonValue& value, MeasuredCells& cells) {
  const auto inner = [&](const std::string& key) { return name.empty() ? key : name + '.' + key; };
  if (const auto* object = std::get_if<JsonValue::Object>(&value.data)) {
    for (const auto& [key, member] : *object) flatten(inner(key), member, cells);
  } else if (const auto* list = std::get_if<JsonValue::List>(&value.data)) {
    for (std::size_t i = 0; i < list->size(); ++i)
      flatten(inner(std::to_string(i)), (*list)[i], cells);
  } else if (!value.is_null()) {
    cells[name] = scalar_text(value);
  }
}

/// The texts that are direct members of an object, and those in its lists of texts.
std::string texts_of(const JsonValue::Object& object) {
  std::string texts;
  for (const auto& [key, value] : object) {
    if (key == "rows") continue;
    if (const auto* text = std::get_if<std::string>(&value.data)) {
      texts += key + ": " + *text + '\n';
    } else if (const auto* list = std::get_if<JsonValue::List>(&value.data)) {
      texts += key + ':';
      for (const JsonValue& element : *list)
        if (const auto* part = std::get_if<std::string>(&element.data)) texts += ' ' + *part + ',';
      texts += '\n';
    }
  }
  return texts;
}

/// Column names of an object with lists "columns" and "rows".
std::vector<std::string> column_names(const JsonValue::Object& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object) {
    const auto* list = std::get_if<JsonValue::List>(&value.data);
    if (key != "columns" || list == nullptr) continue;
    for (const JsonValue& name : *list) names.push_back(scalar_text(name));
  }
  return names;
}

class JsonRows {
 public:
  std::vector<MeasuredRows> found{};

  void walk(const JsonValue& value, const std::string& at, const std::string& context) {
    if (const auto* list = std::get_if<JsonValue::List>(&value.data)) {
      for (std::size_t i = 0; i < list->size(); ++i)
        walk((*list)[i], core::pointer_to(at, i), context);
    } else if (const auto* object = std::get_if<JsonValue::Object>(&value.data)) {
      const std::string inside = context + texts_of(*object);
      const auto names = column_names(*object);
      for (const auto& [key, member] : *object) {
        const std::string pointer = core::pointer_to(at, key);
        if (key == "rows" && take(member, names, pointer, inside)) continue;
        walk(member, pointer, inside);
      }
    }
  }

 private:
  bool take(const JsonValue& value, const std::vector<std::string>& names, const std::string& at,
            const std::string& context) {
    const auto* list = std::get_if<JsonValue::List>(&value.data);
    if (list == nullptr) return false;
    MeasuredRows rows{.at = at, .file = {}, .context = context, .rows = {}};
    for (const JsonValue& row : *list) {
      MeasuredCells cells;
      if (const auto* values = std::get_if<JsonValue::List>(&row.data)) {
        for (std::size_t i = 0; i < std::min(values->size(), names.size()); ++i)
          if (!(*values)[i].is_null()) cells[names[i]] = scalar_text((*values)[i]);
      } else {
        flatten("", row, cells);
      }
      rows.rows.push_back(std::move(cells));
    }
    found.push_back(std::move(rows));
    return true;
  }
};

MeasuredRows csv_rows(const std::string& text) {
  MeasuredRows table{.at = "csv", .file = {}, .context = {}, .rows = {}};
  std::istringstream stream(text);
  std::string line;
  std::vector<std::string> names;
  while (std::getline(stream, line)) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> cells = core::csv_cells(line);
    if (names.empty()) {
      names = cells;
      table.context = "columns: " + line + '\n';
      continue;
    }
    auto& row = table.rows.emplace_back();
    for (std::size_t i = 0; i < std::min(cells.size(), names.size()); ++i)
      if (!cells[i].empty()) row[names[i]] = cells[i];
  }
  return table;
}

bool is_csv(const std::string& file) { return std::filesystem::path(file).extension() == ".csv"; }

}  // namespace

std::vector<MeasuredRows> read_measured_rows(const std::string& file) {
  const std::string text = core::read_text_file(file);
  JsonRows json;
  if (is_csv(file))
    json.found.push_back(csv_rows(text));
  else
    json.walk(core::parse_json(text, file), "", "");
  for (MeasuredRows& rows : json.found) {
    rows.file = std::filesystem::path(file).filename().string();
    rows.context += "file: " + rows.file + '\n';
  }
  const bool none =
      std::ranges::all_of(json.found, [](const MeasuredRows& r) { return r.rows.empty(); });
  if (none)
    throw InputError(file, "", "has no rows of measured steps",
                     "CSV with a line of names, or JSON with \"columns\" and \"rows\"");
  return std::move(json.found);
}

std::vector<MeasuredRows> read_measured_rows(std::span<const std::string> files) {
  std::vector<MeasuredRows> all;
  for (const std::string& file : files)
    for (MeasuredRows& rows : read_measured_rows(file)) all.push_back(std::move(rows));
  return all;
}

bool holds_training_steps(const std::string& file) {
  if (is_csv(file)) {
    // Output of nccl-tests has comments, and columns separated by blanks.
    std::istringstream lines(core::read_text_file(file));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && !line.starts_with('#')) return line.find(',') != std::string::npos;
    return false;
  }
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension != ".json" && extension != ".jsonc") return false;
  const JsonValue root = core::parse_json(core::read_text_file(file), file);
  return root.find("tables") != nullptr || root.find("mlperf") != nullptr ||
         root.find("md") != nullptr;
}

bool pointer_matches(const std::string& pattern, const std::string& pointer) {
  std::istringstream wanted(pattern), given(pointer);
  std::string a, b;
  while (true) {
    const bool more = static_cast<bool>(std::getline(wanted, a, '/'));
    if (more != static_cast<bool>(std::getline(given, b, '/'))) return false;
    if (!more) return true;
    if (a != "*" && a != b) return false;
  }
}

}  // namespace railyard::placement
