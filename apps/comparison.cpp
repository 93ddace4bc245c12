#include "apps/comparison.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/diagnostic.hpp"
#include "core/json_value.hpp"
#include "core/text_file.hpp"

namespace railyard::apps {
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

Verdict verdict_of(const ComparisonRow& row) {
  if (!row.baseline_us) return Verdict::fresh;
  if (!row.now_us) return Verdict::missing;
  const double change = *row.change();
  if (std::abs(change) <= row.tolerance) return Verdict::same;
  return change > 0 ? Verdict::slower : Verdict::faster;
}

}  // namespace

std::vector<BaselineRow> read_baseline(const std::string& file) {
  const JsonValue root = core::parse_json(core::read_text_file(file), file);
  const std::string* kind = text_of(root.find("kind"));
  const JsonValue* found = root.find("rows");
  const auto* list = found == nullptr ? nullptr : std::get_if<JsonValue::List>(&found->data);
  if (kind == nullptr || *kind != "regress" || list == nullptr) {
    throw InputError(file, "/kind", "is no baseline of railyard regress", kHowToMake);
  }
  Diagnostics problems(file);
  std::vector<BaselineRow> rows;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonValue& row = (*list)[i];
    const std::string* name = text_of(row.find("case"));
    const auto bytes = number_of(row.find("bytes"));
    const auto time = number_of(row.find("time_us"));
    if (name == nullptr || !bytes || !time) {
      problems.add(fmt::format("/rows/{}", i), "needs 'case', 'bytes' and 'time_us'", kHowToMake);
      continue;
    }
    rows.push_back({*name, static_cast<std::int64_t>(*bytes), *time});
  }
  problems.throw_if_any();
  return rows;
}

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

std::vector<ComparisonRow> compare(const std::vector<SuiteRow>& rows,
                                   const std::vector<BaselineRow>& baseline) {
  using Key = std::pair<std::string, std::int64_t>;
  std::map<Key, double> before;
  for (const BaselineRow& row : baseline) before[{row.name, row.bytes}] = row.time_us;
  std::vector<ComparisonRow> compared;
  for (const SuiteRow& row : rows) {
    ComparisonRow& both = compared.emplace_back();
    both.name = row.name;
    both.bytes = row.measurement.bytes.count();
    both.now_us = row.measurement.time.microseconds();
    both.tolerance = row.tolerance;
    if (const auto found = before.find({both.name, both.bytes}); found != before.end()) {
      both.baseline_us = found->second;
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

}  // namespace railyard::apps
