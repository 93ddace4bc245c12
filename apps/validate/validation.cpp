#include "apps/validate/validation.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace railyard::apps {
namespace {

/// Files keep four decimals: finer differences are noise, and would hide others in a diff.
RowValue per_cent(double value) { return RowValue(std::round(value * 1e4) / 1e4); }

constexpr std::array<Column<DatasetError>, 8> kColumns{{
    {"kind", [](const DatasetError& d) -> RowValue { return std::string(d.kind); }},
    {"dataset", [](const DatasetError& d) -> RowValue { return d.dataset; }},
    {"cluster", [](const DatasetError& d) -> RowValue { return d.cluster; }},
    {"rows",
     [](const DatasetError& d) -> RowValue { return static_cast<std::int64_t>(d.errors.count); }},
    {"median_pct", [](const DatasetError& d) { return per_cent(d.errors.median); }},
    {"mean_pct", [](const DatasetError& d) { return per_cent(d.errors.mean); }},
    {"p90_pct", [](const DatasetError& d) { return per_cent(d.errors.p90); }},
    {"bias_pct", [](const DatasetError& d) { return per_cent(d.errors.bias); }},
}};

}  // namespace

RowTable tabulate_datasets(const std::vector<DatasetError>& datasets) {
  return tabulate(std::span<const Column<DatasetError>>(kColumns),
                  std::span<const DatasetError>(datasets));
}

}  // namespace railyard::apps
