#pragma once

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Whether an operation has a rate_share or compute_share: what kernels on GPUs lose to each other.
[[nodiscard]] bool has_shares(const Workload& workload);
/// The same workload without them: collectives and messages get their whole rate, and slow no
/// computation down. For ranks on the cores of hosts.
[[nodiscard]] Workload with_full_rates(const Workload& workload);

}  // namespace railyard::collectives
