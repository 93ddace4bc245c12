#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "collectives/baseline/comparison.hpp"
#include "collectives/baseline/suite.hpp"

namespace railyard::apps {

using collectives::Suite;
using collectives::SuiteRow;

/// Simulates every case, several at the same time on so many threads (0: one per core); then runs
/// those whose fidelity is a live backend, one after the other. Throws
/// InputError that names the first case that is wrong; digests of what was read are added to
/// `provenance`.
[[nodiscard]] std::vector<SuiteRow> run_suite(const Suite& suite, int threads,
                                              Provenance& provenance, Context& context);

/// case, then the columns of a collective: what a baseline holds.
[[nodiscard]] RowTable tabulate_suite(const std::vector<SuiteRow>& rows);

}  // namespace railyard::apps
