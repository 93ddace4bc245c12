#include <nlohmann/json.hpp>

#include <ostream>

#include "apps/cli/build_text.hpp"
#include "apps/output/rows.hpp"
#include "core/version.hpp"

namespace railyard::apps {
namespace {

using Json = nlohmann::ordered_json;

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
    out << before << object.dump();
    before = ",\n    ";
  }
  out << (table.rows.empty() ? "]" : "\n  ]");
}

}  // namespace

void write_json(const ResultDocument& document, std::ostream& out) {
  out << "{\n  \"railyard\": " << Json(core::build().version).dump()
      << ",\n  \"kind\": " << Json(document.kind).dump()
      << ",\n  \"provenance\": " << json_of(document.provenance).dump() << ",\n  \"rows\": ";
  write_rows(document.rows, out);
  for (const Section& section : document.sections) {
    if (section.table.rows.empty()) continue;
    out << ",\n  " << Json(section.name).dump() << ": ";
    write_rows(section.table, out);
  }
  out << "\n}\n";
}

}  // namespace railyard::apps
