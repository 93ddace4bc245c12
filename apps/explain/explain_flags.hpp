#pragma once

#include <string>

#include "apps/cli/flag_groups.hpp"

namespace railyard::apps {

/// Flags of `railyard explain`.
struct ExplainFlags {
  ClusterFlags cluster;
  CollectiveFlags collective;
  NcclFlags nccl;
  FabricFlags fabric;
  TimingFlags timing;
  OutputFlags output;
  bool rings = false, range = false;
  std::string tuner_csv, tuner_json, graph_xml;
};

}  // namespace railyard::apps
