#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/replay/replay_jobs.hpp"
#include "collectives/workload/workload_result.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::apps {

/// A workload that ran on a cluster.
struct ReplayRun {
  std::string cluster, file;
  const collectives::ImportedJobs* replayed = nullptr;
  collectives::WorkloadRun run;
  std::string fidelity, timing;
  topology::RoutingOptions routing;
};

/// The tables of a replay (docs/result-files.md).
struct ReplayTables {
  RowTable operations;  ///< a row per run, class of ranks and kind of operation
  /// Rows of the classes that end last, if there are many classes.
  std::optional<RowTable> printed{};
  RowTable runs;  ///< a row per run; empty for a single one
  RowTable classes, critical_path, critical_steps;
};
/// The tables of these runs. The runs must have finished.
[[nodiscard]] ReplayTables tabulate_replay(const std::vector<ReplayRun>& runs);

}  // namespace railyard::apps
