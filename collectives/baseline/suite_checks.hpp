#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/baseline/comparison.hpp"
#include "collectives/baseline/suite.hpp"

namespace railyard::collectives {

/// Whether links or devices of the case's cluster fail or are degraded.
[[nodiscard]] bool has_faults(const SuiteCase& one);

/// The case on a healthy cluster.
[[nodiscard]] SuiteCase without_faults(SuiteCase one);

/// A note for every size at which the faults of a case change nothing, so that the case does not
/// test them. `rows` and `healthy`: its rows with and without faults, by size. Times are equal
/// within the relative `tolerance`.
[[nodiscard]] std::vector<std::string> idle_fault_notes(const SuiteCase& one, double tolerance,
                                                        std::span<const Measurement> rows,
                                                        std::span<const Measurement> healthy);

/// Throws InputError for a case whose time equals that of the case named in its `differs_from`, at
/// the same size and within its tolerance.
void check_twins(const Suite& suite, std::span<const SuiteRow> rows);

}  // namespace railyard::collectives
