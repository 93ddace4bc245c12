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

/// One size of one case.
struct SuiteRow {
  std::string name;
  double tolerance = 0;
  Measurement measurement;
  std::vector<std::pair<std::string, std::string>> configs{};  ///< that the case read, with digests
  double seconds = 0;  ///< that the case took on this machine, shared by its rows
};

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

}  // namespace railyard::collectives
