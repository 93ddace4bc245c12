#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/replay/replay_flags.hpp"
#include "collectives/formats/traces/import_workload.hpp"
#include "collectives/workload/workload.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The jobs of a replay as one workload.
struct ReplayedWorkload {
  collectives::Workload workload;
  /// Of each job: its name ("" for a single one), and the rank behind its last.
  std::vector<std::pair<std::string, std::uint32_t>> jobs;
  std::optional<Time> recorded;  ///< of a single profile
  std::vector<std::string> notes;

  [[nodiscard]] const std::string& job_of(std::uint32_t rank) const;
};

/// Imports `files` and the jobs of --job. `cluster` prices computation that a trace gives as
/// operations. Adds the digests of the files to `provenance`.
[[nodiscard]] ReplayedWorkload replayed_workload(const ReplayFlags& flags,
                                                 const std::vector<std::string>& files,
                                                 const topology::Cluster& cluster,
                                                 Provenance& provenance);

}  // namespace railyard::apps
