#include "collectives/baseline/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace railyard::collectives {
namespace {

Verdict verdict_of(const ComparisonRow& row) {
  if (!row.baseline_us) return Verdict::fresh;
  if (!row.now_us) return Verdict::missing;
  const double change = *row.change();
  if (std::abs(change) <= row.tolerance) return Verdict::same;
  return change > 0 ? Verdict::slower : Verdict::faster;
}

/// Splits "tp=8,pp=2" into pairs, in their order.
using Keys = std::vector<std::pair<std::string, std::string>>;

Keys keys_of(const std::string& strategy) {
  Keys keys;
  for (std::size_t at = 0; at < strategy.size();) {
    const std::size_t end = std::min(strategy.find(',', at), strategy.size());
    const std::string pair = strategy.substr(at, end - at);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    keys.emplace_back(pair.substr(0, equals),
                      equals < pair.size() ? pair.substr(equals + 1) : std::string("yes"));
    at = end + 1;
  }
  return keys;
}

const std::string* find(const Keys& keys, const std::string& key) {
  const auto found = std::ranges::find(keys, key, &Keys::value_type::first);
  return found == keys.end() ? nullptr : &found->second;
}

/// Differences that may explain a changed time: the limiting resource, and the contents of configs.
std::string cause_of(const BaselineRow& before, const SuiteRow& now) {
  std::string text;
  const auto add = [&](const std::string& change) { text += (text.empty() ? "" : ", ") + change; };
  const std::string& bound_by = now.measurement.bound_by;
  if (!before.bound_by.empty() && before.bound_by != bound_by)
    add(fmt::format("bound_by {} -> {}", before.bound_by, bound_by));
  if (!before.configs) return text;
  for (const auto& [name, digest] : now.configs) {
    const auto found = before.configs->find(name);
    if (found != before.configs->end() && found->second != digest)
      add(fmt::format("config {}", name));
  }
  return text;
}

/// Differences between a case and its baseline: first in the case itself, then in the chosen
/// algorithm or strategy.
std::string case_and_choice(const BaselineRow& before, const Measurement& now) {
  std::string text;
  const auto add = [&](const std::string& change) {
    if (!change.empty()) text += (text.empty() ? "" : ", ") + change;
  };
  add(changed_text(before.collective, now.collective));
  if (before.ranks && *before.ranks != now.ranks)
    add(fmt::format("ranks {:g} -> {}", *before.ranks, now.ranks));
  add(changed_text(before.algorithm, now.algorithm));
  return text;
}

}  // namespace

std::string_view to_text(Verdict verdict) {
  static constexpr std::array<std::string_view, 5> kNames{"same", "slower", "faster", "new",
                                                          "missing"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::optional<double> ComparisonRow::change() const {
  if (!baseline_us || !now_us) return std::nullopt;
  if (*baseline_us == *now_us) return 0;
  return *now_us / *baseline_us - 1;
}

std::string changed_text(const std::string& before, const std::string& now) {
  if (before.empty() || before == now) return {};
  if (before.find('=') == std::string::npos && now.find('=') == std::string::npos)
    return before + " -> " + now;
  const Keys was = keys_of(before), is = keys_of(now);
  std::string text;
  const auto add = [&](const std::string& key, const std::string& from, const std::string& to) {
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", key, from, to);
  };
  for (const auto& [key, value] : was) {
    const std::string* other = find(is, key);
    if (other == nullptr || *other != value) add(key, value, other == nullptr ? "none" : *other);
  }
  for (const auto& [key, value] : is)
    if (find(was, key) == nullptr) add(key, "none", value);
  return text;
}

std::vector<ComparisonRow> compare(const std::vector<SuiteRow>& rows,
                                   const std::vector<BaselineRow>& baseline) {
  using Key = std::pair<std::string, std::int64_t>;
  std::map<Key, const BaselineRow*> before;
  for (const BaselineRow& row : baseline) before[{row.name, row.bytes}] = &row;
  std::vector<ComparisonRow> compared;
  for (const SuiteRow& row : rows) {
    ComparisonRow& both = compared.emplace_back();
    both.name = row.name;
    both.bytes = row.measurement.bytes.count();
    both.now_us = row.measurement.time.microseconds();
    both.tolerance = row.tolerance;
    both.seconds = row.seconds;
    if (const auto found = before.find({both.name, both.bytes}); found != before.end()) {
      both.baseline_us = found->second->time_us;
      both.changed = case_and_choice(*found->second, row.measurement);
      if (verdict_of(both) != Verdict::same) both.cause = cause_of(*found->second, row);
      before.erase(found);
    }
  }
  for (const BaselineRow& row : baseline) {
    if (before.erase({row.name, row.bytes}) == 0) continue;
    ComparisonRow& only = compared.emplace_back();
    only.name = row.name;
    only.bytes = row.bytes;
    only.baseline_us = row.time_us;
  }
  for (ComparisonRow& row : compared) row.verdict = verdict_of(row);
  return compared;
}

}  // namespace railyard::collectives
