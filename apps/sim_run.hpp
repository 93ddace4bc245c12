#pragma once

#include <string>
#include <vector>

#include "apps/context.hpp"
#include "apps/flag_groups.hpp"

namespace railyard::apps {

/// Flags of `railyard sim`.
struct SimFlags {
  ClusterFlags cluster;
  CollectiveFlags collective;
  NcclFlags nccl;
  FabricFlags fabric;
  OutputFlags output;
  std::string fidelity = "flow";
  std::string coalesce;
  std::vector<std::string> jobs;
  std::string groups;
  bool expand = false, certify = false, verify = false, links = false;
};

/// Simulates what the flags ask for and writes the rows. Returns the exit code: 1 where --verify found
/// something.
int run_sim(const SimFlags& flags, Context& context);

}  // namespace railyard::apps
