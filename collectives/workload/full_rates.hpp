#pragma once

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Whether an operation has a rate_share or compute_share (interference between GPU kernels).
[[nodiscard]] bool has_shares(const Workload& workload);
/// The same workload without these shares: communication has its full rate and does not slow down
/// computation. For ranks on CPU cores.
[[nodiscard]] Workload with_full_rates(const Workload& workload);

}  // namespace railyard::collectives
