#pragma once

#include <span>
#include <string>

#include "collectives/nccl/choice/nccl_environment.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {

/// Throws InputError at --fail where a failure ("node3/nic1@2ms") takes a whole NIC out during the
/// run and NCCL stops then: unless port failover is on and the NIC's GPU uses others with it.
void check_failing_nics(const topology::Cluster& cluster, std::span<const std::string> failures,
                        const NcclEnvironment& environment);

}  // namespace railyard::collectives::nccl
