#include "collectives/baseline/baseline.hpp"

#include <fmt/format.h>

#include <variant>

#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using core::JsonValue;

const std::string* text_of(const JsonValue* value) {
  return value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
}

std::optional<double> number_of(const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&value->data))
    return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value->data)) return *real;
  return std::nullopt;
}

constexpr const char* kHowToMake =
    "make one with 'railyard regress SUITE --baseline FILE --update'";

using Configs = std::map<std::string, std::string>;

/// The digests in the provenance of a result.
Configs configs_of(const JsonValue& root) {
  Configs configs;
  const JsonValue* provenance = root.find("provenance");
  const JsonValue* found = provenance == nullptr ? nullptr : provenance->find("configs");
  const auto* object = found == nullptr ? nullptr : std::get_if<JsonValue::Object>(&found->data);
  if (object == nullptr) return configs;
  for (const auto& [name, value] : *object)
    if (const std::string* digest = text_of(&value)) configs.emplace(name, *digest);
  return configs;
}

}  // namespace

std::vector<BaselineRow> read_baseline(const std::string& file) {
  const JsonValue root = core::parse_json(core::read_text_file(file), file);
  const std::string* kind = text_of(root.find("kind"));
  const JsonValue* found = root.find("rows");
  const auto* list = found == nullptr ? nullptr : std::get_if<JsonValue::List>(&found->data);
  if (kind == nullptr || *kind != "regress" || list == nullptr) {
    throw InputError(file, "/kind", "is not a baseline of railyard regress", kHowToMake);
  }
  Diagnostics problems(file);
  std::vector<BaselineRow> rows;
  const auto configs = std::make_shared<const Configs>(configs_of(root));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonValue& row = (*list)[i];
    const std::string* name = text_of(row.find("case"));
    const auto bytes = number_of(row.find("bytes"));
    const auto time = number_of(row.find("time_us"));
    if (name == nullptr || !bytes || !time) {
      problems.add(fmt::format("/rows/{}", i), "needs 'case', 'bytes' and 'time_us'", kHowToMake);
      continue;
    }
    const std::string* algorithm = text_of(row.find("algorithm"));
    const std::string* bound_by = text_of(row.find("bound_by"));
    const std::string* collective = text_of(row.find("collective"));
    rows.push_back({.name = *name,
                    .bytes = static_cast<std::int64_t>(*bytes),
                    .time_us = *time,
                    .algorithm = algorithm == nullptr ? std::string() : *algorithm,
                    .bound_by = bound_by == nullptr ? std::string() : *bound_by,
                    .collective = collective == nullptr ? std::string() : *collective,
                    .ranks = number_of(row.find("ranks")),
                    .configs = configs});
  }
  problems.throw_if_any();
  return rows;
}

}  // namespace railyard::collectives
