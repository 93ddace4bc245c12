#include "placement/mixed/mixed_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/diagnostic.hpp"
#include "placement/mixed/gpu_type.hpp"
#include "placement/strategy/counts.hpp"

namespace railyard::placement {
namespace {

constexpr std::array<std::string_view, 3> kKeys{"stages", "replicas", "batches"};

/// Takes "key=value" out of a text; "" where it is not there.
std::string take(std::string& text, std::string_view key) {
  const std::string wanted = fmt::format("{}=", key);
  for (std::size_t at = 0; at != std::string::npos && at < text.size();) {
    const std::size_t end = text.find(',', at);
    if (std::string_view(text).substr(at).starts_with(wanted)) {
      std::string value = text.substr(at + wanted.size(), end - at - wanted.size());
      text.erase(at, end == std::string::npos ? end : end + 1 - at);
      if (text.ends_with(',')) text.pop_back();
      return value;
    }
    at = end == std::string::npos ? end : end + 1;
  }
  return {};
}

/// Parts between separators.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// "A*2/B*2": types by stage.
std::vector<int> parse_stages(const std::string& text, int types, const std::string& where) {
  std::vector<int> stages;
  for (const std::string& part : split(text, '/')) {
    const int type = part.empty() ? -1 : part.front() - 'A';
    const bool counted = part.size() > 2 && part[1] == '*';
    if (type < 0 || type >= types || (part.size() > 1 && !counted))
      throw InputError("", where,
                       fmt::format("'{}' is no list of types of GPU; there are A to {}", text,
                                   type_name(types - 1)),
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

std::string stages_text(const std::vector<int>& types) {
  std::string text;
  for (std::size_t i = 0; i < types.size();) {
    std::size_t end = i + 1;
    while (end < types.size() && types[end] == types[i]) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : "/", type_name(types[i]));
    if (end - i > 1) text += fmt::format("*{}", end - i);
    i = end;
  }
  return text;
}

}  // namespace

bool PipelineClass::is_pure() const {
  return std::ranges::all_of(types, [&](int type) { return type == types.front(); });
}

int MixedStrategy::micro_batches() const {
  int sum = 0;
  for (const PipelineClass& c : classes) sum += c.replicas * c.micro_batches - c.fewer;
  return sum;
}

bool has_equal_batches(const MixedStrategy& mixed) {
  return std::ranges::all_of(mixed.classes, [&](const PipelineClass& one) {
    return one.fewer == 0 && one.micro_batches == mixed.classes.front().micro_batches;
  });
}

std::string to_text(const MixedStrategy& mixed) {
  std::string stages, replicas, batches;
  for (const PipelineClass& c : mixed.classes) {
    const char* plus = stages.empty() ? "" : "+";
    stages += plus + stages_text(c.types);
    replicas += fmt::format("{}{}", plus, c.replicas);
    batches += fmt::format("{}{}", plus, c.micro_batches);
  }
  return fmt::format("{},stages={},replicas={},batches={}", to_text(mixed.strategy), stages,
                     replicas, batches);
}

bool is_mixed_text(std::string_view text) {
  std::string rest(text);
  for (const std::string_view key : kKeys)
    if (!take(rest, key).empty()) return true;
  return false;
}

MixedFix parse_mixed(std::string_view text, int types, const std::string& where) {
  std::string rest(text);
  const std::string stages = take(rest, "stages"), replicas = take(rest, "replicas"),
                    batches = take(rest, "batches");
  MixedFix fix;
  parse_strategy(rest, where, fix.strategy);
  const std::string keys = "," + rest;
  fix.has_pp = keys.find(",pp=") != keys.npos || !fix.strategy.layers.empty();
  fix.has_dp = keys.find(",dp=") != keys.npos;
  if (!stages.empty())
    for (const std::string& one : split(stages, '+'))
      fix.stages.push_back(parse_stages(one, types, where));
  if (!replicas.empty()) fix.replicas = parse_by_class(replicas, where);
  if (!batches.empty()) fix.batches = parse_by_class(batches, where);
  const auto wrong = [&](std::string what) { throw InputError("", where, std::move(what)); };
  if (fix.stages.empty() && (!fix.replicas.empty() || !fix.batches.empty()))
    wrong("replicas and batches are of classes: they need stages");
  for (const auto* counts : {&fix.replicas, &fix.batches})
    if (!counts->empty() && counts->size() != fix.stages.size())
      wrong(fmt::format("stages name {} classes, replicas or batches {}", fix.stages.size(),
                        counts->size()));
  for (const auto& one : fix.stages) {
    if (!fix.has_pp) fix.strategy.pp = static_cast<int>(one.size());
    fix.has_pp = true;
    if (static_cast<int>(one.size()) != fix.strategy.pp)
      wrong(fmt::format("stages name {} stages, pp is {}", one.size(), fix.strategy.pp));
  }
  return fix;
}

}  // namespace railyard::placement
