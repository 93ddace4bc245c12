#include "apps/regress/comparison_text.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/output/row_values.hpp"
#include "core/size_text.hpp"

namespace railyard::apps {
namespace {

using collectives::ComparisonRow;
using collectives::Verdict;

std::optional<double> percent(std::optional<double> part) {
  return part ? std::optional(*part * 100) : std::nullopt;
}

/// In the unit with one to three digits before the point: "182.76 us", "1.915 s".
std::string time_text(std::optional<double> microseconds) {
  if (!microseconds) return "-";
  if (*microseconds < 1e3) return fmt::format("{:.2f} us", *microseconds);
  if (*microseconds < 1e6) return fmt::format("{:.3f} ms", *microseconds / 1e3);
  return fmt::format("{:.3f} s", *microseconds / 1e6);
}

/// A size such as "64M"; `nothing` for a training job.
std::string size_of(const ComparisonRow& row, const char* nothing) {
  return row.bytes == 0 ? nothing : core::size_text(row.bytes);
}

/// The changed choices, then the other changes.
std::string changes_of(const ComparisonRow& row) {
  return row.changed + (row.changed.empty() || row.cause.empty() ? "" : ", ") + row.cause;
}

std::string change_text(const ComparisonRow& row) {
  const auto change = percent(row.change());
  return change ? fmt::format("{:+.2f} %", *change) : std::string(to_text(row.verdict));
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::size_t count(const std::vector<ComparisonRow>& rows, Verdict verdict) {
  std::size_t found = 0;
  for (const ComparisonRow& row : rows) found += row.verdict == verdict ? 1 : 0;
  return found;
}

}  // namespace

RowTable tabulate_comparison(const std::vector<ComparisonRow>& rows) {
  static constexpr std::array<Column<ComparisonRow>, 8> kColumns{{
      {"case", [](const ComparisonRow& r) -> RowValue { return r.name; }},
      {"bytes",
       [](const ComparisonRow& r) { return r.bytes == 0 ? RowValue() : RowValue(r.bytes); },
       {.is_size = true}},
      {"baseline_us", [](const ComparisonRow& r) { return if_known(r.baseline_us); }, kHundredths},
      {"now_us", [](const ComparisonRow& r) { return if_known(r.now_us); }, kHundredths},
      {"change_pct", [](const ComparisonRow& r) { return if_known(percent(r.change())); },
       kHundredths},
      {"tolerance_pct", [](const ComparisonRow& r) -> RowValue { return r.tolerance * 100; },
       kHundredths},
      {"verdict",
       [](const ComparisonRow& r) -> RowValue { return std::string(to_text(r.verdict)); }},
      {"changed", [](const ComparisonRow& r) { return text_or_nothing(changes_of(r)); }},
  }};
  return tabulate(kColumns, rows);
}

std::string junit_text(const std::string& suite, const std::vector<ComparisonRow>& rows) {
  const std::size_t failures = rows.size() - count(rows, Verdict::same);
  double seconds = 0;
  for (const ComparisonRow& row : rows) seconds += row.seconds;
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" time=\"{:.3f}\">\n",
      escaped(suite), rows.size(), failures, seconds);
  for (const ComparisonRow& row : rows) {
    text +=
        fmt::format("  <testcase classname=\"{}\" name=\"{}{}{}\" time=\"{:.3f}\"", escaped(suite),
                    escaped(row.name), row.bytes == 0 ? "" : " ", size_of(row, ""), row.seconds);
    if (row.verdict == Verdict::same) {
      text += "/>\n";
      continue;
    }
    text += fmt::format(
        ">\n    <failure message=\"{}: {} in the baseline, {} now{}\"/>\n  </testcase>\n",
        change_text(row), time_text(row.baseline_us), time_text(row.now_us),
        escaped(changes_of(row).empty() ? "" : "; " + changes_of(row)));
  }
  return text + "</testsuite>\n";
}

std::string markdown_text(const std::string& suite, const std::vector<ComparisonRow>& rows) {
  std::string text = fmt::format("### Suite {}\n\n{}\n", suite, tally(rows));
  if (count(rows, Verdict::same) == rows.size()) return text;
  text += "\n| Case | Size | Baseline | Now | Change |\n|---|--:|--:|--:|--:|\n";
  for (const ComparisonRow& row : rows) {
    if (row.verdict == Verdict::same) continue;
    const std::string changes = changes_of(row);
    text += fmt::format("| {} | {} | {} | {} | {}{} |\n", row.name, size_of(row, "-"),
                        time_text(row.baseline_us), time_text(row.now_us), change_text(row),
                        changes.empty() ? "" : "; " + changes);
  }
  return text;
}

std::string tally(const std::vector<ComparisonRow>& rows) {
  std::string text = fmt::format("{} row{}:", rows.size(), rows.size() == 1 ? "" : "s");
  const char* before = " ";
  for (const Verdict verdict :
       {Verdict::same, Verdict::slower, Verdict::faster, Verdict::fresh, Verdict::missing}) {
    const std::size_t found = count(rows, verdict);
    if (found == 0) continue;
    text += fmt::format("{}{} {}", before, found, to_text(verdict));
    before = ", ";
  }
  return text;
}

}  // namespace railyard::apps
