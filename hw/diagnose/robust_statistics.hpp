#pragma once

#include <vector>

namespace railyard::hw {

/// The median (mean of the middle two for an even count); 0 without values.
[[nodiscard]] double median_of(std::vector<double> values);

/// The value that a share of the values do not exceed, between neighbours in proportion; 0 without
/// values.
[[nodiscard]] double quantile_of(std::vector<double> values, double share);

/// The standard deviation of normal values from the median absolute distance to `centre`, which
/// half of the values may be wrong without harm: 1.4826 median |x - centre| (Hampel, JASA 69,
/// 1974).
[[nodiscard]] double spread_of(const std::vector<double>& values, double centre);

/// Where the healthy values lie if the sick ones are larger, and may be more than half: the median
/// of the shortest interval that holds a quarter of the values (Chernoff's mode estimate, Ann.
/// Inst. Stat. Math. 16, 1964). Nothing is faster than healthy, so while a tenth of the values lies
/// below that by more than `gap`, the interval is looked for among these.
[[nodiscard]] double fast_mode_of(std::vector<double> values, double gap);

/// log of the density of Student's t with 4 degrees of freedom at (x - centre) / scale, over scale:
/// the usual choice for errors with heavy tails (Lange, Little and Taylor, JASA 84, 1989).
[[nodiscard]] double log_student4(double distance, double scale);

}  // namespace railyard::hw
