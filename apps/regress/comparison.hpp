#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/regress/suite_run.hpp"

namespace railyard::apps {

/// A row of a baseline.
struct BaselineRow {
  std::string name;
  std::int64_t bytes = 0;
  double time_us = 0;
  std::string algorithm{};   ///< for a training job the strategy; empty if the baseline has none
  std::string bound_by{};    ///< empty if the baseline has none
  std::string collective{};  ///< empty if the baseline has none
  std::optional<double> ranks{};  ///< nothing if the baseline has none
  /// Digests of the configs that all cases of the baseline read, by name.
  std::shared_ptr<const std::map<std::string, std::string>> configs{};
};

/// Reads what `railyard regress --update` wrote. Throws InputError for anything else.
[[nodiscard]] std::vector<BaselineRow> read_baseline(const std::string& file);

/// fresh: not in the baseline; missing: only there.
enum class Verdict : std::uint8_t { same, slower, faster, fresh, missing };
[[nodiscard]] std::string_view to_text(Verdict verdict);

/// A size of a case beside its baseline.
struct ComparisonRow {
  std::string name;
  std::int64_t bytes = 0;  ///< 0: of a training job, which has no size
  std::optional<double> baseline_us, now_us;
  double tolerance = 0;
  Verdict verdict = Verdict::same;
  double seconds = 0;  ///< that this machine took for it
  /// Changed cases and choices: "ranks 32 -> 64", "ring -> tree", "tp 8 -> 4, dp 16 -> none".
  std::string changed{};
  /// Of a time that changed, what else did: "bound_by A -> B", "config dgx_h100".
  std::string cause{};

  /// now / baseline - 1, where there are both.
  [[nodiscard]] std::optional<double> change() const;
};

/// Every row of the suite in its order, then those of the baseline alone.
[[nodiscard]] std::vector<ComparisonRow> compare(const std::vector<SuiteRow>& rows,
                                                 const std::vector<BaselineRow>& baseline);

/// How an algorithm or a strategy ("tp=8,pp=2") differs from another; empty where it does not.
[[nodiscard]] std::string changed_text(const std::string& before, const std::string& now);

/// case, bytes, baseline_us, now_us, change_pct, tolerance_pct, verdict, changed (and its cause).
[[nodiscard]] RowTable tabulate_comparison(const std::vector<ComparisonRow>& rows);
/// JUnit XML: a test case per row with its duration on this machine; all but `same` have failed.
[[nodiscard]] std::string junit_text(const std::string& suite,
                                     const std::vector<ComparisonRow>& rows);
/// A heading and a table of the findings, for a comment on a change.
[[nodiscard]] std::string markdown_text(const std::string& suite,
                                        const std::vector<ComparisonRow>& rows);
/// "36 rows: 34 same, 1 slower, 1 new".
[[nodiscard]] std::string tally(const std::vector<ComparisonRow>& rows);

}  // namespace railyard::apps
