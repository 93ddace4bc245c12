#pragma once

#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/baseline/comparison.hpp"

namespace railyard::apps {

/// Rows with the columns case, bytes, baseline_us, now_us, change_pct, tolerance_pct, verdict,
/// changed (with its cause).
[[nodiscard]] RowTable tabulate_comparison(const std::vector<collectives::ComparisonRow>& rows);
/// JUnit XML: a test case per row with its duration on this machine. All verdicts except `same` are
/// failures.
[[nodiscard]] std::string junit_text(const std::string& suite,
                                     const std::vector<collectives::ComparisonRow>& rows);
/// A heading and a table of the findings in Markdown, for a comment on a code change.
[[nodiscard]] std::string markdown_text(const std::string& suite,
                                        const std::vector<collectives::ComparisonRow>& rows);
/// "36 rows: 34 same, 1 slower, 1 new".
[[nodiscard]] std::string tally(const std::vector<collectives::ComparisonRow>& rows);

}  // namespace railyard::apps
