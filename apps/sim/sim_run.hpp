#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// Flags of `railyard sim`.
struct SimFlags {
  ClusterFlags cluster;
  CollectiveFlags collective;
  NcclFlags nccl;
  FabricFlags fabric;
  TimingFlags timing;
  OutputFlags output;
  std::string fidelity = "flow";
  std::string coalesce;
  std::vector<std::string> jobs;
  std::string groups;
  int threads = 0;  ///< 0: one per core
  bool expand = false, certify = false, verify = false, links = false;
};

/// Simulates what the flags ask for and writes the rows. Returns the exit code: 1 where --verify
/// found something.
int run_sim(const SimFlags& flags, Context& context);

/// The rows of the sizes, one after the other; of the flags only those that matter to a single
/// collective count. Adds what was read to `provenance`.
[[nodiscard]] std::vector<collectives::Measurement> simulate(const SimFlags& flags,
                                                             const std::vector<Bytes>& sizes,
                                                             Provenance& provenance);

}  // namespace railyard::apps
