#include "apps/validate/validation.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace railyard::apps {
namespace {

/// Files have four decimals: smaller differences are noise that would hide others in a diff.
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

void add_errors(const ValidationRequest& request, DatasetError errors, Validation& result) {
  if (request.max_error > 0 && errors.errors.mean > request.max_error)
    result.findings.push_back(
        fmt::format("{}: mean error is {:.1f} %, above the {} % of --max-error", errors.dataset,
                    errors.errors.mean, request.max_error));
  result.datasets.push_back(std::move(errors));
}

void add_notes(std::string_view what, const std::vector<std::string>& reasons, Validation& result,
               Context& context) {
  for (const std::string& reason : reasons) {
    result.notes.push_back(fmt::format("{}{}", what, reason));
    print_note(context, result.notes.back());
  }
}

RowTable tabulate_datasets(const std::vector<DatasetError>& datasets) {
  return tabulate(kColumns, datasets);
}

}  // namespace railyard::apps
