#include <fmt/format.h>

#include <algorithm>

#include "core/config/json_value.hpp"
#include "core/diagnostic.hpp"
#include "placement/strategy/counts.hpp"
#include "placement/strategy/strategy.hpp"
#include "placement/strategy/strategy_fields.hpp"

namespace railyard::placement {
namespace {

/// A value as a config would have it: 8, true, or text.
core::JsonValue value_of(std::string_view key, std::string_view text, const std::string& where) {
  if (key == "layers") {
    core::JsonValue list = core::JsonValue::list();
    for (const int count : parse_counts(text, where)) list.push({std::int64_t{count}});
    return list;
  }
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  if (number || text == "true" || text == "false") return core::parse_json(text, "");
  return core::JsonValue::text(text);
}

}  // namespace

void parse_strategy(std::string_view text, const std::string& where, Strategy& strategy) {
  core::JsonValue object = core::JsonValue::object();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    const std::size_t equals = pair.find('=');
    if (equals == pair.npos || equals == 0 || equals + 1 == pair.size())
      throw InputError("", where, fmt::format("'{}' is not KEY=VALUE", pair), "tp=8,pp=4,zero=1");
    const std::string_view key = pair.substr(0, equals);
    if (object.find(key)) throw InputError("", where, fmt::format("'{}' is there twice", key));
    object.set(key, value_of(key, pair.substr(equals + 1), where));
  }
  const bool counts_stages = object.find("layers") && !object.find("pp");
  try {
    core::read_config(core::ConfigNode::parse(core::to_text(object), where), strategy);
  } catch (const InputError& error) {
    std::vector<Diagnostic> problems(error.diagnostics().begin(), error.diagnostics().end());
    for (Diagnostic& problem : problems)
      if (problem.hint.empty() && problem.message.find("is not a key") != std::string::npos)
        problem.hint = "railyard schema strategy --docs: all keys";
    throw InputError(std::move(problems));
  }
  if (counts_stages)
    strategy.pp = static_cast<int>(strategy.layers.size()) / std::max(1, strategy.interleave);
}

std::string to_text(const Strategy& s) {
  const core::JsonValue full = core::parse_json(core::write_config(s, ""), "");
  std::string text;
  for (const auto& [key, value] : std::get<core::JsonValue::Object>(full.data)) {
    std::string written = core::to_text(value);
    if (key == "layers") written = to_counts_text(s.layers);
    if (const auto* string = std::get_if<std::string>(&value.data)) written = *string;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, written);
  }
  return text.empty() ? "tp=1" : text;
}

}  // namespace railyard::placement
