#include <nlohmann/json.hpp>

#include <ostream>

#include "apps/cli/build_text.hpp"
#include "apps/output/rows.hpp"
#include "core/version.hpp"

namespace railyard::apps {
namespace {

using Json = nlohmann::ordered_json;

/// Bytes that are not UTF-8 (file names may have any) become U+FFFD.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const RowValue& value) {
  return std::visit(
      []<class T>(const T& held) -> Json {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else
          return held;
      },
      value);
}

Json json_of(const Provenance& provenance) {
  Json json{{"command", provenance.command}};
  for (const auto& [name, value] : provenance.facts) json[name] = value;
  json["configs"] = Json::object();
  for (const auto& [name, digest] : provenance.configs) json["configs"][name] = digest;
  json["seed"] = provenance.seed;
  json["build"] = build_text();
  if (!provenance.notes.empty()) json["notes"] = provenance.notes;
  return json;
}

void write_rows(const RowTable& table, std::ostream& out) {
  out << '[';
  const char* before = "\n    ";
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      object[std::string(table.columns[i].name)] = json_of(row[i]);
    }
    out << before << text_of(object);
    before = ",\n    ";
  }
  out << (table.rows.empty() ? "]" : "\n  ]");
}

}  // namespace

void write_json(const ResultDocument& document, std::ostream& out) {
  out << "{\n  \"railyard\": " << text_of(core::build().version)
      << ",\n  \"kind\": " << text_of(document.kind)
      << ",\n  \"provenance\": " << text_of(json_of(document.provenance));
  if (!document.answers.empty()) out << ",\n  \"answers\": " << text_of(document.answers);
  out << ",\n  \"rows\": ";
  write_rows(document.rows, out);
  for (const Section& section : document.sections) {
    if (section.table.rows.empty()) continue;
    out << ",\n  " << text_of(section.name) << ": ";
    write_rows(section.table, out);
  }
  out << "\n}\n";
}

}  // namespace railyard::apps
