#include "apps/validate/range_coverage.hpp"

#include <cmath>
#include <cstddef>

#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"

namespace railyard::apps {
namespace {

namespace nccl = collectives::nccl;

struct Count {
  double rows = 0, inside = 0;
  void add(const RowRange& row) {
    if (!row.inside) return;
    rows += 1;
    inside += *row.inside ? 1 : 0;
  }
  [[nodiscard]] std::optional<double> pct() const {
    return rows > 0 ? std::optional(100 * inside / rows) : std::nullopt;
  }
};

RowValue value_of(const std::optional<double>& value) {
  return value ? RowValue(*value) : RowValue();
}

constexpr ColumnStyle kOne{.decimals = 1};

}  // namespace

std::vector<RowRange> shipped_ranges(std::span<const nccl::RangeQuery> queries,
                                     std::span<const double> ratios,
                                     const std::vector<std::string>& datasets) {
  const nccl::PredictionRanges shipped =
      nccl::read_prediction_ranges(std::string(nccl::kShippedRanges));
  std::vector<RowRange> ranges;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    RowRange row{.dataset = datasets[i],
                 .range_pct = nccl::range_pct(shipped.classes, queries[i]),
                 .inside = {}};
    if (row.range_pct) row.inside = std::fabs(ratios[i] - 1) * 100 <= *row.range_pct;
    ranges.push_back(std::move(row));
  }
  return ranges;
}

std::vector<RowRange> held_back_ranges(std::span<const nccl::Residual> residuals) {
  std::map<std::string, std::vector<nccl::RangeClass>> without;
  std::vector<RowRange> ranges;
  for (const nccl::Residual& r : residuals) {
    auto [classes, is_new] = without.try_emplace(r.table);
    if (is_new) classes->second = nccl::range_classes(residuals, r.table);
    RowRange row{
        .dataset = r.table, .range_pct = nccl::range_pct(classes->second, r.query), .inside = {}};
    if (row.range_pct) row.inside = std::fabs(r.ratio - 1) * 100 <= *row.range_pct;
    ranges.push_back(std::move(row));
  }
  return ranges;
}

void add_ranges(const std::vector<RowRange>& ranges, RowTable& rows, RowTable& errors) {
  rows.columns.push_back({"range_pct", kOne});
  std::map<std::string, Count> counts;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    rows.rows[i].push_back(value_of(ranges[i].range_pct));
    counts[ranges[i].dataset].add(ranges[i]);
    counts["all"].add(ranges[i]);
  }
  errors.columns.push_back({"inside_pct", kOne});
  for (auto& row : errors.rows)
    row.push_back(value_of(counts[std::get<std::string>(row.front())].pct()));
}

std::optional<double> inside_pct(const std::vector<RowRange>& ranges) {
  Count all;
  for (const RowRange& row : ranges) all.add(row);
  return all.pct();
}

}  // namespace railyard::apps
