#include "apps/report/result_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using Json = nlohmann::ordered_json;

// More than a sweep of a million rows needs; beyond it a browser cannot show the page anyway.
constexpr std::uintmax_t kLargestFile = 256U << 20U;

Cell to_cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return {value.get<std::string>(), std::nullopt};
  if (value.is_number()) return {value.dump(), value.get<double>()};
  if (value.is_boolean()) return {value.get<bool>() ? "yes" : "no", std::nullopt};
  return {value.dump(), std::nullopt};
}

void read_provenance(const Json& value, const std::string& prefix, ResultFile& file) {
  for (const auto& [key, inner] : value.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (inner.is_object()) {
      read_provenance(inner, name, file);
    } else {
      file.provenance.emplace_back(name, to_cell(inner).text);
    }
  }
}

void read_rows(const Json& rows, ResultFile& file, Diagnostics& problems) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_object()) {
      problems.add(fmt::format("/rows/{}", i), "a row must be an object");
      continue;
    }
    for (const auto& [key, value] : rows[i].items()) {
      if (!file.column(key)) file.columns.push_back(key);
    }
  }
  for (const Json& row : rows) {
    std::vector<Cell>& cells = file.rows.emplace_back(file.columns.size());
    if (!row.is_object()) continue;
    for (const auto& [key, value] : row.items()) cells[*file.column(key)] = to_cell(value);
  }
}

/// Reads one entry of "links"; what is wrong is added to the problems.
TierLoad read_load(const Json& entry, const std::string& pointer, std::size_t rows, Diagnostics& problems) {
  TierLoad load;
  const auto number = [&](const char* key) {
    const auto found = entry.find(key);
    const bool good = found != entry.end() && found->is_number() && found->get<double>() >= 0;
    if (!good) problems.add(pointer + "/" + key, "a number of at least 0 is needed");
    return good ? found->get<double>() : 0.0;
  };
  const auto text = [&](const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const double row = number("row");
  if (row < static_cast<double>(rows)) {
    load.row = static_cast<std::size_t>(row);
  } else {
    problems.add(pointer + "/row", fmt::format("there is no row {}", row), fmt::format("the file has {} rows", rows));
  }
  load.tier = text("tier");
  if (load.tier.empty()) problems.add(pointer + "/tier", "the name of a tier is needed");
  load.direction = text("direction");
  if (entry.contains("pod")) load.pod = static_cast<int>(std::min(number("pod"), 1e9));
  load.links = number("links");
  load.max_utilisation = number("max_utilisation");
  load.mean_utilisation = number("mean_utilisation");
  load.busiest = text("busiest");
  return load;
}

void read_links(const Json& links, ResultFile& file, Diagnostics& problems) {
  if (!links.is_array()) return problems.add("/links", "must be a list");
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string pointer = fmt::format("/links/{}", i);
    if (!links[i].is_object()) {
      problems.add(pointer, "an entry must be an object");
    } else {
      file.links.push_back(read_load(links[i], pointer, file.rows.size(), problems));
    }
  }
}

}  // namespace

std::optional<std::size_t> ResultFile::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const Cell* ResultFile::cell(std::size_t row, std::string_view column_name) const {
  const auto index = column(column_name);
  if (!index || rows[row][*index].text.empty()) return nullptr;
  return &rows[row][*index];
}

std::optional<double> ResultFile::number(std::size_t row, std::string_view column_name) const {
  const Cell* found = cell(row, column_name);
  return found == nullptr ? std::nullopt : found->number;
}

std::string ResultFile::text(std::size_t row, std::string_view column_name) const {
  const Cell* found = cell(row, column_name);
  return found == nullptr ? std::string() : found->text;
}

std::string ResultFile::provenance_of(std::string_view key) const {
  for (const auto& [name, value] : provenance) {
    if (name == key) return value;
  }
  return {};
}

ResultFile parse_result_file(const std::string& name, std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(name, "", fmt::format("not JSON: {}", error.what()),
                     "railyard report reads what --json FILE wrote");
  }
  if (!json.is_object() || !json.contains("rows") || !json["rows"].is_array()) {
    throw InputError(name, "/rows", "a list of rows is needed", "railyard report reads what --json FILE wrote");
  }
  ResultFile file;
  Diagnostics problems(name);
  file.path = name;
  file.version = json.contains("railyard") ? to_cell(json["railyard"]).text : "";
  file.kind = json.contains("kind") ? to_cell(json["kind"]).text : "";
  if (json.contains("provenance")) read_provenance(json["provenance"], "", file);
  read_rows(json["rows"], file, problems);
  if (json.contains("links")) read_links(json["links"], file, problems);
  problems.throw_if_any();
  return file;
}

ResultFile read_result_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw InputError(path, "", "cannot be read: " + error.message());
  if (size > kLargestFile) {
    throw InputError(path, "", fmt::format("is too large for a report ({} bytes)", size), "report fewer rows");
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw InputError(path, "", "cannot be read");
  return parse_result_file(path, text);
}

}  // namespace railyard::apps
