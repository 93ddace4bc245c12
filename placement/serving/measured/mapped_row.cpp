#include "placement/serving/measured/mapped_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement::serving {
namespace {

/// The config name of `text`, which is looked up without its organisation ("org/model": "model").
const std::string* named(const TextMap& names, const std::string& text) {
  const auto at = names.find(text.substr(text.find('/') + 1));
  return at == names.end() ? nullptr : &at->second;
}

/// The heading line of a CSV file; "" for other files.
std::string heading_of(const std::string& file) {
  if (!file.ends_with(".csv")) return {};
  std::istringstream lines(core::read_text_file(file));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && !line.starts_with('#')) return line;
  return {};
}

}  // namespace

RowRules::RowRules(const ServingMap& map) {
  for (const ServingRule& rule : map.rules) {
    Rule& one = rules_.emplace_back(Rule{&rule, {}});
    for (const auto& [column, text] : rule.when) {
      try {
        one.when.emplace_back(column, std::regex(text, std::regex::icase));
      } catch (const std::regex_error&) {
        throw InputError(map.name, "/rules", fmt::format("'{}' is not a regular expression", text),
                         "");
      }
    }
  }
}

std::optional<std::string> RowRules::apply(MeasuredCells& cells) const {
  for (const Rule& one : rules_) {
    const bool matches = std::ranges::all_of(one.when, [&](const auto& condition) {
      const auto at = cells.find(condition.first);
      return std::regex_search(at == cells.end() ? std::string() : at->second, condition.second);
    });
    if (!matches) continue;
    if (!one.rule->reason.empty()) return one.rule->reason;
    for (const auto& [column, value] : one.rule->set) cells[column] = value;
  }
  return std::nullopt;
}

std::string MappedRow::text(const std::string& column) const {
  const auto at = cells_.find(column);
  return at == cells_.end() ? std::string() : at->second;
}

double MappedRow::number(const std::string& column, double otherwise) const {
  const std::string cell = text(column);
  if (cell.empty()) return otherwise;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size())
    throw InputError("", "column " + column, fmt::format("'{}' is not a number", cell), "");
  return value;
}

bool MappedRow::is_second(const std::string& column, std::string_view first,
                          std::string_view second) const {
  const std::string word = text(column);
  if (word == second) return true;
  if (word.empty() || word == first) return false;
  throw InputError("", "column " + column, fmt::format("'{}' is not known", word),
                   fmt::format("{} or {}", first, second));
}

int MappedRow::count(const std::string& column) const {
  return std::max(1, static_cast<int>(number(column, 1)));
}

NumberFormat MappedRow::format(const std::string& column, NumberFormat otherwise) const {
  std::string cell = text(column);
  if (cell.empty()) return otherwise;
  std::ranges::transform(cell, cell.begin(), [](unsigned char c) { return std::tolower(c); });
  if (cell.starts_with("fp8")) return NumberFormat::fp8;
  if (cell == "bf16" || cell == "float16") return NumberFormat::bf16;
  if (cell.starts_with("int8")) return NumberFormat::int8;
  if (cell.starts_with("int4") || cell == "uint4" || cell.starts_with("w4a16"))
    return NumberFormat::int4;
  if (cell == "nvfp4" || cell == "fp4" || cell.starts_with("w4a")) return NumberFormat::nvfp4;
  throw InputError("", "column " + column, fmt::format("'{}' is not a supported format", cell),
                   "bf16, fp8, int8, int4 or nvfp4");
}

std::vector<std::string> MappedRows::reasons() const {
  std::vector<std::string> all;
  for (const auto& [reason, count] : left_out)
    all.push_back(fmt::format("{}: {} rows", reason, count));
  return all;
}

MappedRows mapped_rows(const ServingMap& map, const RowNames& names,
                       const std::vector<MeasuredRows>& tables) {
  const RowRules rules(map);
  MappedRows found;
  for (const MeasuredRows& table : tables) {
    for (MeasuredCells cells : table.rows) {
      const std::string model = cells[names.model], machine = cells[names.machine];
      const std::string* model_config = named(map.models, model);
      const auto cluster_config = map.clusters.find(machine);
      if (model_config == nullptr) {
        ++found.left_out[fmt::format("model '{}' is not in the map", model)];
      } else if (cluster_config == map.clusters.end()) {
        ++found.left_out[fmt::format("{} '{}' is not in the map", names.machine, machine)];
      } else if (const auto reason = rules.apply(cells)) {
        ++found.left_out[*reason];
      } else {
        MappedRow& row = found.rows.emplace_back(std::move(cells));
        row.model = *model_config;
        row.cluster = cluster_config->second;
      }
    }
  }
  return found;
}

ServingTable serving_table(const std::string& file) {
  const std::string heading = heading_of(file);
  constexpr std::array kColumns{std::pair{"silicon_tpot_ms", ServingTable::runs},
                                std::pair{"result_tokens_per_s", ServingTable::capacity},
                                std::pair{"peak_power_of_tdp", ServingTable::power}};
  for (const auto& [column, kind] : kColumns)
    if (heading.find(column) != std::string::npos) return kind;
  return ServingTable::none;
}

}  // namespace railyard::placement::serving
