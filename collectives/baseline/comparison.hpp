#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/baseline/baseline.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::collectives {

/// The result of one size of one case of a suite.
struct SuiteRow {
  std::string name;
  double tolerance = 0;
  Measurement measurement;
  std::vector<std::pair<std::string, std::string>> configs{};  ///< name and digest of each config
                                                               ///< that the case read
  double seconds = 0;  ///< run time of the whole case on this machine
};

/// The outcome of a comparison. `fresh`: the row is not in the baseline. `missing`: it is only in
/// the baseline.
enum class Verdict : std::uint8_t { same, slower, faster, fresh, missing };
[[nodiscard]] std::string_view to_text(Verdict verdict);

/// One size of a case, compared with its baseline.
struct ComparisonRow {
  std::string name;
  std::int64_t bytes = 0;  ///< 0 for a training job, which has no size
  std::optional<double> baseline_us, now_us;
  double tolerance = 0;
  Verdict verdict = Verdict::same;
  double seconds = 0;  ///< run time of the case on this machine
  /// Differences in the case or in the chosen algorithm or strategy: "ranks 32 -> 64", "ring ->
  /// tree", "tp 8 -> 4, dp 16 -> none".
  std::string changed{};
  /// Other differences that may explain a changed time: "bound_by A -> B", "config dgx_h100".
  std::string cause{};

  /// now / baseline - 1; nothing if one of the two is missing.
  [[nodiscard]] std::optional<double> change() const;
};

/// Compares every row of the suite, in its order, with the baseline. Rows that are only in the
/// baseline come last.
[[nodiscard]] std::vector<ComparisonRow> compare(const std::vector<SuiteRow>& rows,
                                                 const std::vector<BaselineRow>& baseline);

/// The difference between two algorithms or strategies ("tp=8,pp=2"); empty if they are equal.
[[nodiscard]] std::string changed_text(const std::string& before, const std::string& now);

}  // namespace railyard::collectives
