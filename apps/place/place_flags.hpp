#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/place/objective.hpp"

namespace railyard::apps {

/// Flags of `railyard place`.
struct PlaceFlags {
  ClusterFlags cluster;
  FabricFlags fabric;
  std::string queue;  ///< a file with several jobs, instead of `job`
  std::string job, fix, megatron, order = "tp-cp-dp-pp", gemm_table;
  std::optional<int> batch;
  std::optional<int> max_batch;  ///< batches up to here may be taken too
  int top = 5;
  std::optional<int> verify;  ///< how many of the best are simulated; left out: 20 of a search
  std::string fidelity = "flow";
  std::vector<std::string> also;  ///< names of further_names()
  bool no_overlap = false, offload = false, wide = false, timeline = false;
  bool mapping = false;
  ObjectiveFlags objective;
  std::string occupied;
  std::string lost;
  std::optional<int> added;
  std::string restart;  ///< how long a job stands still when it is started again: "5 min"
  std::vector<std::string> emit;
  std::string hosts;
  std::optional<int> cores;
  std::string command = "python pretrain_gpt.py $(xargs < megatron_args.txt)";
  OutputFlags output;
  bool interruptible = true;  ///< ctrl-C ends a search with what there is; not where several run

  /// The cluster changes under a running job.
  [[nodiscard]] bool is_elastic() const { return !lost.empty() || added.has_value(); }
  /// One strategy is given instead of searched for.
  [[nodiscard]] bool is_fixed() const { return !fix.empty() || !megatron.empty(); }
};

}  // namespace railyard::apps
