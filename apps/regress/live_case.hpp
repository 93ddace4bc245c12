#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/sim/sim_run.hpp"
#include "collectives/baseline/suite.hpp"
#include "collectives/schedule/measurement.hpp"
#include "hw/live_backend.hpp"

namespace railyard::apps {

using collectives::SuiteCase;

/// The live backend that a case names as its fidelity; nullptr for a simulated case. Throws
/// BackendError for a backend that this program does not have, InputError for a live case without a
/// tolerance of its own.
[[nodiscard]] const hw::BackendEntry* live_backend_of(const SuiteCase& one, const Context& context);

/// The rows of such a case: the schedule that NCCL would choose on the case's cluster, executed on
/// as many live ranks, with its result checked. The time is the median of twenty runs. Throws
/// InputError if the backend uses several processes, BackendError if it fails or a result is wrong.
[[nodiscard]] std::vector<collectives::Measurement> run_live(const SuiteCase& one, SimFlags flags,
                                                             const hw::BackendEntry& backend,
                                                             Provenance& provenance);

}  // namespace railyard::apps
