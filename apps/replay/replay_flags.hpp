#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/sim/packet_flags.hpp"

namespace railyard::apps {

/// Flags of `railyard replay`.
struct ReplayFlags {
  std::vector<std::string> files;
  std::vector<std::string> jobs;     ///< NAME=FILE[,FILE...][@TIME]
  std::vector<std::string> against;  ///< files of a second workload, for comparison
  std::vector<std::string> compare_clusters;
  ClusterFlags cluster;
  NcclFlags nccl;
  FabricFlags fabric;
  PacketFlags packet;
  TimingFlags timing{.timing = "", .harness = "none"};  ///< "": by the format
  OutputFlags output;
  std::string fidelity = "flow";
  std::string rank_order = "contiguous";
  std::string comm_groups;  ///< file of process groups
  std::string workload;     ///< file to write
  std::string chakra;       ///< prefix of files to write
  std::string goal;         ///< file to write
  std::optional<int> world;
  std::optional<std::uint64_t> seed{};
  bool recorded = false, expand = false, links = false;
};

}  // namespace railyard::apps
