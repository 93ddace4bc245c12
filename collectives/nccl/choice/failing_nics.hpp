#pragma once

#include <span>
#include <string>

#include "collectives/nccl/choice/nccl_environment.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {

/// Throws InputError for --fail if a NIC fails during the run ("node3/nic1@2ms") and NCCL would
/// abort. NCCL continues only with port failover and if the GPU of the NIC also uses other NICs.
void check_failing_nics(const topology::Cluster& cluster, std::span<const std::string> failures,
                        const NcclEnvironment& environment);

}  // namespace railyard::collectives::nccl
