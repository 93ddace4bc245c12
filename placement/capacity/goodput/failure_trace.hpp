#pragma once

#include <string>
#include <vector>

namespace railyard::placement {

/// A node out of service from one day of a trace to another.
struct TraceFault {
  int node = 0;
  double start_day = 0, end_day = 0;
  std::string cause{};
};

/// Recorded faults of a cluster, in order of their start.
struct FailureTrace {
  std::string name{};
  int nodes = 0;    ///< nodes of the recorded cluster, at least the highest number + 1
  double days = 0;  ///< length of the record, up to its last start or end
  std::vector<TraceFault> faults{};
};

/// Reads a CSV file with a header line and the columns node (from 0), start_day, end_day (days from
/// the start of the record; empty: start_day + `unknown_days`) and class; other columns are
/// ignored. `nodes`: number of nodes of the cluster, if the record contains only nodes that failed;
/// 0: the highest + 1. Throws InputError that names the line.
[[nodiscard]] FailureTrace read_failure_trace(const std::string& file, int nodes = 0,
                                              double unknown_days = 0);

/// Fraction of node time in service over the record: 1 - days out / (nodes · days). Overlapping
/// faults of a node count once.
[[nodiscard]] double node_availability(const FailureTrace& trace);

}  // namespace railyard::placement
