#pragma once

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Whether an operation has a rate_share or compute_share (interference between GPU kernels), or a
/// collective a start-up time (streams of a GPU that wait for each other).
[[nodiscard]] bool has_shares(const Workload& workload);
/// The same workload without these: communication starts at once, has its full rate and does not
/// slow down computation. For ranks on CPU cores.
[[nodiscard]] Workload with_full_rates(const Workload& workload);

}  // namespace railyard::collectives
