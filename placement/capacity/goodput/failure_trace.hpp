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
  int nodes = 0;    ///< of the recorded cluster: at least the highest number + 1
  double days = 0;  ///< length of the record: its last start or end
  std::vector<TraceFault> faults{};
};

/// Reads a CSV file with a line of names and the columns node (from 0), start_day, end_day (days
/// from the start of the record; empty: `unknown_days` later) and class; others are ignored.
/// `nodes` is the number of nodes where the record knows only those that failed; 0: the highest +
/// 1. Throws InputError with the line.
[[nodiscard]] FailureTrace read_failure_trace(const std::string& file, int nodes = 0,
                                              double unknown_days = 0);

/// Share of node time in service over the record: 1 - days out / (nodes · days), faults of a node
/// that overlap counted once.
[[nodiscard]] double node_availability(const FailureTrace& trace);

}  // namespace railyard::placement
