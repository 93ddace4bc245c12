#pragma once

#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/sim/packet_flags.hpp"

namespace railyard::apps {

/// Flags of `railyard sim`.
struct SimFlags {
  ClusterFlags cluster;
  CollectiveFlags collective;
  NcclFlags nccl;
  FabricFlags fabric;
  TimingFlags timing;
  PacketFlags packet;
  OutputFlags output;
  std::string fidelity = "flow";
  std::string coalesce;
  std::string convergence;  ///< "": topology::kConvergence
  std::vector<std::string> jobs;
  std::string groups;
  std::vector<std::string> traffic, background;
  std::string rank_order = "contiguous";
  int seeds = 1;    ///< simulate each size with this many seeds
  int threads = 0;  ///< 0: one per core
  bool expand = false, certify = false, verify = false, links = false;
  bool range = false;  ///< add range_pct to each row
};

}  // namespace railyard::apps
