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

/// Simulates every case, with `threads` concurrent cases (0: one per core). Then runs the cases
/// with a live backend one after another. Throws InputError with the first case that fails. Adds
/// the digests of files to `provenance`.
[[nodiscard]] std::vector<SuiteRow> run_suite(const Suite& suite, int threads,
                                              Provenance& provenance, Context& context);

/// Rows with the column case and the columns of a collective: the contents of a baseline.
[[nodiscard]] RowTable tabulate_suite(const std::vector<SuiteRow>& rows);

}  // namespace railyard::apps
