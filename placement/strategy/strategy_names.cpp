#include "placement/strategy/strategy_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace railyard::placement {
namespace {

constexpr std::array<std::string_view, 6> kDegrees = {"tp", "pp", "dp", "cp", "ep", "etp"};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Parses "k=v,k=v"; values may contain commas inside brackets.
Settings settings_of(const std::string& strategy) {
  Settings settings;
  int depth = 0;
  std::string part;
  const auto end = [&] {
    const std::size_t equals = part.find('=');
    if (!part.empty())
      settings.emplace_back(part.substr(0, equals),
                            equals == std::string::npos ? "true" : part.substr(equals + 1));
    part.clear();
  };
  for (const char c : strategy) {
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c == ',' && depth == 0)
      end();
    else
      part += c;
  }
  end();
  return settings;
}

std::string value_in(const Settings& settings, const std::string& key) {
  const auto found = std::ranges::find(settings, key, &Settings::value_type::first);
  return found == settings.end() ? std::string() : found->second;
}

std::string words(const std::string& key, const std::string& value) {
  if (value.empty()) return {};
  return value == "true" ? key : fmt::format("{} {}", key, value);
}

void join(std::string& text, const std::string& word) {
  if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
}

}  // namespace

StrategyNames name_strategies(const std::vector<std::string>& strategies) {
  std::vector<Settings> all;
  std::vector<std::string> keys;
  for (const std::string& strategy : strategies) {
    all.push_back(settings_of(strategy));
    for (const auto& [key, value] : all.back())
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  const auto is_degree = [](const std::string& key) {
    return std::ranges::find(kDegrees, key) != kDegrees.end();
  };
  const auto differs = [&](const std::string& key) {
    return std::ranges::any_of(all, [&](const Settings& settings) {
      return value_in(settings, key) != value_in(all.front(), key);
    });
  };
  StrategyNames result;
  for (const std::string& key : keys)
    if (!is_degree(key) && !differs(key))
      join(result.common, words(key, value_in(all.front(), key)));
  for (const Settings& settings : all) {
    std::string name;
    for (const std::string_view degree : kDegrees) {
      const std::string value = value_in(settings, std::string(degree));
      if (!value.empty() && value != "1")
        name += fmt::format("{}{}{}", name.empty() ? "" : " ", degree, value);
    }
    for (const std::string& key : keys)
      if (!is_degree(key) && differs(key)) join(name, words(key, value_in(settings, key)));
    result.names.push_back(name.empty() ? "one GPU" : name);
  }
  return result;
}

}  // namespace railyard::placement
