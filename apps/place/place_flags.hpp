#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/place/objective.hpp"

namespace railyard::apps {

/// Flags of `railyard place` as texts; place_request() converts them to values.
struct PlaceFlags {
  ClusterFlags cluster;
  FabricFlags fabric;
  std::string job, model, queue, fix, megatron, occupied, lost, restart;
  std::string order = "tp-cp-dp-pp";
  std::optional<int> batch, sequence, max_batch, top, verify, added;
  std::string fidelity = "flow";
  std::optional<std::uint64_t> seed;
  std::vector<std::string> also;         ///< names of placement::further_names()
  std::vector<std::string> gemm_tables;  ///< FILE, or TYPE=FILE
  bool no_overlap = false, offload = false, mapping = false, wide = false, timeline = false;
  bool whole_step = false;
  std::string workload{};  ///< file to write the step to
  bool range = false;
  ObjectiveFlags objective;
  std::string memory;
  std::vector<std::string> emit;
  std::string hosts;
  std::optional<int> cores;
  std::string command{};
  OutputFlags output;
};

/// Adds the flags of PlaceFlags.
void add_place_flags(FlagSet app, PlaceFlags& flags);

}  // namespace railyard::apps
