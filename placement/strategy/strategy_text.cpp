#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/config/json_value.hpp"
#include "core/diagnostic.hpp"
#include "placement/strategy/counts.hpp"
#include "placement/strategy/strategy.hpp"
#include "placement/strategy/strategy_fields.hpp"

namespace railyard::placement {
namespace {

constexpr int kTypes = 26;  ///< A to Z

/// A value as in a config: 8, true, or text.
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

/// The parts of a text between separators.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// "A*2/B*2": the type of each stage.
std::vector<int> parse_stages(const std::string& text, const std::string& where) {
  std::vector<int> stages;
  for (const std::string& part : split(text, '/')) {
    const int type = part.empty() ? -1 : part.front() - 'A';
    const bool counted = part.size() > 2 && part[1] == '*';
    if (type < 0 || type >= kTypes || (part.size() > 1 && !counted))
      throw InputError("", where, fmt::format("'{}' is not a list of GPU types", text),
                       "stages=A*2/B*2");
    const std::vector<int> times = parse_counts(counted ? part.substr(2) : "1", where);
    stages.insert(stages.end(), static_cast<std::size_t>(times.front()), type);
  }
  return stages;
}

std::vector<int> parse_by_class(const std::string& text, const std::string& where) {
  std::vector<int> counts;
  for (const std::string& part : split(text, '+')) {
    const std::vector<int> one = parse_counts(part, where);
    if (one.size() != 1 || one.front() < 1)
      throw InputError("", where, fmt::format("'{}' is not a number for each class", text),
                       "replicas=4+2");
    counts.push_back(one.front());
  }
  return counts;
}

/// The texts that describe classes of replicas.
struct ClassTexts {
  std::string stages, replicas, batches;
  [[nodiscard]] std::string* find(std::string_view key) {
    return key == "stages"     ? &stages
           : key == "replicas" ? &replicas
           : key == "batches"  ? &batches
                               : nullptr;
  }
};

void set_classes(const ClassTexts& texts, const std::string& where, bool has_pp, Strategy& s) {
  const auto wrong = [&](std::string what) { throw InputError("", where, std::move(what)); };
  if (texts.stages.empty()) {
    if (!texts.replicas.empty() || !texts.batches.empty())
      wrong("replicas and batches need stages, one list for each class");
    return;
  }
  s.classes.clear();
  for (const std::string& one : split(texts.stages, '+'))
    s.classes.push_back({.types = parse_stages(one, where), .replicas = 0});
  const auto give = [&](const std::string& text, int PipelineClass::*member) {
    if (text.empty()) return;
    const std::vector<int> counts = parse_by_class(text, where);
    if (counts.size() != s.classes.size())
      wrong(fmt::format("stages has {} classes, replicas or batches {}", s.classes.size(),
                        counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i) s.classes[i].*member = counts[i];
  };
  give(texts.replicas, &PipelineClass::replicas);
  give(texts.batches, &PipelineClass::micro_batches);
  if (!has_pp) s.pp = static_cast<int>(s.classes.front().types.size());
  for (const PipelineClass& one : s.classes)
    if (static_cast<int>(one.types.size()) != s.pp)
      wrong(fmt::format("a class has {} stages, pp is {}", one.types.size(), s.pp));
}

std::string stages_text(const PipelineClass& one, int pp) {
  if (one.types.empty()) return pp > 1 ? fmt::format("A*{}", pp) : "A";
  const std::vector<int>& types = one.types;
  std::string text;
  for (std::size_t i = 0; i < types.size();) {
    std::size_t end = i + 1;
    while (end < types.size() && types[end] == types[i]) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : "/", static_cast<char>('A' + types[i]));
    if (end - i > 1) text += fmt::format("*{}", end - i);
    i = end;
  }
  return text;
}

}  // namespace

bool PipelineClass::is_pure() const {
  return std::ranges::all_of(types, [&](int type) { return type == types.front(); });
}

int all_micro_batches(int batch, const Strategy& s) {
  if (s.classes.empty()) return micro_batches(batch, s) * s.dp;
  int sum = 0;
  for (const PipelineClass& c : s.classes) sum += c.replicas * c.micro_batches - c.fewer;
  return sum;
}

bool has_equal_batches(const Strategy& s) {
  return std::ranges::all_of(s.classes, [&](const PipelineClass& one) {
    return one.fewer == 0 && one.micro_batches == s.classes.front().micro_batches;
  });
}

std::vector<int> gpus_used(const Strategy& s, std::size_t types) {
  std::vector<int> used(types, 0);
  if (s.classes.empty()) used.front() = s.gpus();
  for (const PipelineClass& one : s.classes)
    for (int stage = 0; stage < s.pp; ++stage)
      used[static_cast<std::size_t>(one.type_of(stage))] += one.replicas * s.tp * s.cp;
  return used;
}

GivenDimensions parse_strategy(std::string_view text, const std::string& where,
                               Strategy& strategy) {
  core::JsonValue object = core::JsonValue::object();
  ClassTexts classes;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    const std::size_t equals = pair.find('=');
    if (equals == pair.npos || equals == 0 || equals + 1 == pair.size())
      throw InputError("", where, fmt::format("'{}' is not KEY=VALUE", pair), "tp=8,pp=4,zero=1");
    const std::string_view key = pair.substr(0, equals);
    if (object.find(key)) throw InputError("", where, fmt::format("'{}' is there twice", key));
    if (std::string* const of_class = classes.find(key)) {
      if (!of_class->empty()) throw InputError("", where, fmt::format("'{}' is there twice", key));
      *of_class = pair.substr(equals + 1);
      continue;
    }
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
  const bool has_pp = object.find("pp") || counts_stages;
  set_classes(classes, where, has_pp, strategy);
  return {.pp = has_pp || !classes.stages.empty(), .dp = object.find("dp") != nullptr};
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
  if (text.empty()) text = "tp=1";
  std::string stages, replicas, batches;
  for (const PipelineClass& c : s.classes) {
    const char* plus = stages.empty() ? "" : "+";
    stages += plus + stages_text(c, s.pp);
    replicas += fmt::format("{}{}", plus, c.replicas);
    batches += fmt::format("{}{}", plus, c.micro_batches);
  }
  if (!s.classes.empty())
    text += fmt::format(",stages={},replicas={},batches={}", stages, replicas, batches);
  return text;
}

}  // namespace railyard::placement
