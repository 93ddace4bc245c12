#pragma once

#include <memory>

#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "collectives/nccl/choice/nccl_environment.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The fitted time model of the flags. nullptr for --timing nominal, and for ranks on the cores of
/// hosts, which do not use NCCL. Throws InputError for unknown names.
[[nodiscard]] std::shared_ptr<collectives::nccl::FittedPace> make_timing(
    const topology::Cluster& cluster, const ClusterFlags& cluster_flags, const TimingFlags& flags,
    const collectives::nccl::NcclEnvironment& environment);

/// Adds the source of the time model's parameters to a result.
void add_timing_facts(const collectives::nccl::FittedPace* timing, const TimingFlags& flags,
                      Provenance& provenance);

}  // namespace railyard::apps
