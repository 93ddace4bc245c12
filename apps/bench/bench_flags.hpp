#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "hw/live_backend.hpp"
#include "hw/live_measure.hpp"

namespace railyard::apps {

/// --max-error without the flag, in per cent.
inline constexpr double kMaxErrorPct = 20;

/// Flags of `railyard bench`.
struct BenchFlags {
  CollectiveFlags collective;
  OutputFlags output;
  TimingFlags timing;  ///< timing model of predictions
  hw::Repetition repetition;
  std::string backend;  ///< "": the program's default
  std::string predict;
  std::optional<int> nodes;  ///< number of nodes of the predicted cluster
  std::string ranks;         ///< ranks of that cluster that represent the live ranks
  std::optional<int> gpus;   ///< number of ranks
  int threads = 0;
  int check = 1;
  std::string mode = "isolated";
  std::string place;  ///< "": in place, and both if the format has both
  std::string format = "table";
  std::string timeout = "60 s";
  std::string segment;
  std::optional<int> in_flight;         ///< empty: the backend's default
  std::string min_busbw;                ///< "": no minimum
  std::optional<double> max_error_pct;  ///< a row with a larger error names the term that is wrong
  bool accept = false;                  ///< an acceptance test instead of one collective
  bool range = false;                   ///< add the 80 % range of predictions
  std::string workload;                 ///< file of the workload to run instead of a collective
  bool matrix = false;
  bool alone = false;                    ///< with matrix: measure one pair after another
  hw::GpuOptions gpu;                    ///< nccl
  std::string clock = "host";            ///< nccl: or events
  std::vector<std::string> environment;  ///< nccl: NCCL_X=value, set before NCCL starts
};

}  // namespace railyard::apps
