#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/machine_parts.hpp"
#include "core/units.hpp"

/// Deviations of measured times from predictions, from the residuals of tables that were not in the
/// fit (docs/models/ranges.md):
///
///     |measured / predicted - 1| <= range        in 80 % of the rows of a class
///
/// A class is defined by the predicted quantity, the weakest evidence of the parts, one or several
/// nodes, a range of sizes and a GPU generation. For n sweeps of weight one each, the range is the
/// smallest deviation that a weight of 0.8 (n + 1/3) + 1/3 does not exceed (Hyndman and Fan 1996,
/// type 8).
namespace railyard::collectives::nccl {

/// A class of predictions. Fields that are not set match all.
struct RangeClass {
  RangeOf of = RangeOf::collective;
  std::optional<Evidence> evidence{};
  std::optional<bool> several_nodes{};
  Bytes from{}, below{};     ///< sizes from `from` up to, but without, `below` (0: no limit)
  std::string generation{};  ///< "": all
  double range_pct = 0;
  int rows = 0, sweeps = 0;
};

/// configs/ranges/*.json.
struct PredictionRanges {
  std::string name{}, source{};
  std::vector<MeasuredPart> measured{};
  std::vector<RangeClass> classes{};  ///< most specific first
};

/// The prediction for which a range is wanted.
struct RangeQuery {
  RangeOf of = RangeOf::collective;
  Evidence evidence = Evidence::nominal;
  bool several_nodes = false;
  Bytes bytes{};
  std::string generation{};
};

/// A row of a table, predicted by a fit without that table.
struct Residual {
  RangeQuery query{};
  std::string table{};
  std::size_t sweep = 0;  ///< rows of a sweep share the weight of one
  double ratio = 1;       ///< measured over predicted
};

/// The target coverage of ranges.
inline constexpr double kRangeProbability = 0.8;

/// The largest number of rows per sweep; each sweep has weight one.
inline constexpr std::size_t kSweepRows = 16;
/// Whether row `i` of the `rows` of a sweep is one of at most kSweepRows evenly spaced ones.
[[nodiscard]] constexpr bool is_kept(std::size_t i, std::size_t rows) {
  return rows <= kSweepRows || i * kSweepRows / rows != (i + 1) * kSweepRows / rows;
}

/// Appends residuals of other tables. Their sweeps are numbered behind those of `all`.
void append(std::span<const Residual> more, std::vector<Residual>& all);

/// Classes with at least five sweeps (fewer for wider ones), most specific first, from the
/// residuals of all tables except `without`. The range of a class is at least that of the same
/// class with better evidence.
[[nodiscard]] std::vector<RangeClass> range_classes(std::span<const Residual> residuals,
                                                    const std::string& without = {});

/// The range of the first class that matches a query; nothing if none does.
[[nodiscard]] std::optional<double> range_pct(std::span<const RangeClass> classes,
                                              const RangeQuery& query);

}  // namespace railyard::collectives::nccl
