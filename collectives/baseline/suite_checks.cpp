#include "collectives/baseline/suite_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

/// Whether two times are the same within the tolerance of their case.
bool is_same(Time now, Time before, double tolerance) {
  return std::abs(now.seconds() - before.seconds()) <= tolerance * before.seconds();
}

}  // namespace

bool has_faults(const SuiteCase& one) { return !one.fail.empty() || !one.degrade.empty(); }

SuiteCase without_faults(SuiteCase one) {
  one.fail.clear();
  one.degrade.clear();
  return one;
}

std::vector<std::string> idle_fault_notes(const SuiteCase& one, double tolerance,
                                          std::span<const Measurement> rows,
                                          std::span<const Measurement> healthy) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < std::min(rows.size(), healthy.size()); ++i)
    if (is_same(rows[i].time, healthy[i].time, tolerance))
      notes.push_back(
          fmt::format("case '{}' takes as long without its faults at {} bytes; it does "
                      "not test them. 'differs_from' makes that an error",
                      one.name, rows[i].bytes.count()));
  return notes;
}

void check_twins(const Suite& suite, std::span<const SuiteRow> rows) {
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    const SuiteCase& one = suite.cases[i];
    if (one.differs_from.empty()) continue;
    for (const SuiteRow& row : rows) {
      if (row.name != one.name) continue;
      const auto twin = std::ranges::find_if(rows, [&](const SuiteRow& other) {
        return other.name == one.differs_from && other.measurement.bytes == row.measurement.bytes;
      });
      if (twin == rows.end()) continue;
      if (!is_same(row.measurement.time, twin->measurement.time, row.tolerance)) continue;
      throw InputError("", fmt::format("/cases/{}/differs_from", i),
                       fmt::format("'{}' takes as long as '{}' at {} bytes: the case cannot fail",
                                   one.name, one.differs_from, row.measurement.bytes.count()),
                       "choose a case in which the difference matters");
    }
  }
}

}  // namespace railyard::collectives
