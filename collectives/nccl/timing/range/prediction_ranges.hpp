#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/machine_parts.hpp"
#include "core/units.hpp"

/// How far from a prediction the measured time lies, from the residuals of tables that the fit had
/// not seen (docs/models/ranges.md):
///
///     |measured / predicted - 1| <= range        in 80 % of the rows of a class
///
/// A class is what is predicted, the worst evidence of the parts, one node or several, a range of
/// sizes and a GPU generation. Of n sweeps, each with the weight of one, the range is the smallest
/// deviation that a weight of 0.8 (n + 1/3) + 1/3 does not exceed (Hyndman and Fan 1996, type 8).
namespace railyard::collectives::nccl {

/// A class of predictions. What is not set covers all.
struct RangeClass {
  RangeOf of = RangeOf::collective;
  std::optional<Evidence> evidence{};
  std::optional<bool> several_nodes{};
  Bytes from{}, below{};     ///< sizes; below zero: no end
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

/// What a range is asked for.
struct RangeQuery {
  RangeOf of = RangeOf::collective;
  Evidence evidence = Evidence::nominal;
  bool several_nodes = false;
  Bytes bytes{};
  std::string generation{};
};

/// A predicted row of a table that its fit had not seen.
struct Residual {
  RangeQuery query{};
  std::string table{};
  std::size_t sweep = 0;  ///< rows of a sweep share the weight of one
  double ratio = 1;       ///< measured over predicted
};

/// Probability that ranges aim at.
inline constexpr double kRangeProbability = 0.8;

/// Rows of a sweep that count at most: a sweep has the weight of one however many it has.
inline constexpr std::size_t kSweepRows = 16;
/// Whether row `i` of the `rows` of a sweep is one of at most kSweepRows evenly spaced ones.
[[nodiscard]] constexpr bool is_kept(std::size_t i, std::size_t rows) {
  return rows <= kSweepRows || i * kSweepRows / rows != (i + 1) * kSweepRows / rows;
}

/// Classes with at least five sweeps (fewer for wider ones), most specific first, from the
/// residuals of all tables but `without`. Worse evidence never has the smaller range: where less is
/// known, the range is at least that of the same class with better evidence.
[[nodiscard]] std::vector<RangeClass> range_classes(std::span<const Residual> residuals,
                                                    const std::string& without = {});

/// The first class that covers a query; nothing where none does.
[[nodiscard]] std::optional<double> range_pct(std::span<const RangeClass> classes,
                                              const RangeQuery& query);

}  // namespace railyard::collectives::nccl
