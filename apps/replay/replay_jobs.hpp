#pragma once

#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/replay/replay_flags.hpp"
#include "collectives/formats/traces/import_jobs.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Imports `files` and the jobs of --job. `cluster` determines the time of computation that a trace
/// gives in operations. Adds the digests of the files to `provenance`.
[[nodiscard]] collectives::ImportedJobs replayed_workload(const ReplayFlags& flags,
                                                          const std::vector<std::string>& files,
                                                          const topology::Cluster& cluster,
                                                          Provenance& provenance);

}  // namespace railyard::apps
