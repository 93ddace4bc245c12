#include "collectives/nccl/timing/range/range_coverage.hpp"

#include <cmath>
#include <utility>

namespace railyard::collectives::nccl {

RowRange row_range(std::span<const RangeClass> classes, const RangeQuery& query, double ratio,
                   std::string dataset) {
  RowRange row{.dataset = std::move(dataset), .range_pct = range_pct(classes, query), .inside = {}};
  if (row.range_pct) row.inside = std::fabs(ratio - 1) * 100 <= *row.range_pct;
  return row;
}

std::vector<RowRange> held_back_ranges(std::span<const Residual> residuals) {
  std::map<std::string, std::vector<RangeClass>> without;
  std::vector<RowRange> ranges;
  for (const Residual& r : residuals) {
    const auto [classes, is_new] = without.try_emplace(r.table);
    if (is_new) classes->second = range_classes(residuals, r.table);
    ranges.push_back(row_range(classes->second, r.query, r.ratio, r.table));
  }
  return ranges;
}

std::optional<double> inside_pct(std::span<const RowRange> ranges) {
  double rows = 0, inside = 0;
  for (const RowRange& row : ranges) {
    if (!row.inside) continue;
    ++rows;
    inside += *row.inside ? 1 : 0;
  }
  return rows > 0 ? std::optional(100 * inside / rows) : std::nullopt;
}

std::map<std::string, std::optional<double>> inside_by_dataset(std::span<const RowRange> ranges) {
  std::map<std::string, std::vector<RowRange>> by_dataset;
  for (const RowRange& row : ranges) by_dataset[row.dataset].push_back(row);
  std::map<std::string, std::optional<double>> inside;
  for (const auto& [dataset, rows] : by_dataset) inside[dataset] = inside_pct(rows);
  return inside;
}

std::vector<HeldBackCoverage> held_back_coverage(std::span<const Residual> residuals) {
  std::vector<HeldBackCoverage> coverage;
  for (const auto& [of, name] : core::EnumNames<RangeOf>::table) {
    std::vector<Residual> some;
    for (const Residual& residual : residuals)
      if (residual.query.of == of) some.push_back(residual);
    if (const auto inside = inside_pct(held_back_ranges(some)))
      coverage.push_back({.of = of, .rows = some.size(), .inside_pct = *inside});
  }
  return coverage;
}

}  // namespace railyard::collectives::nccl
