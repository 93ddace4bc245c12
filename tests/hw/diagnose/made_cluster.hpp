#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/diagnose/pair_run.hpp"

namespace railyard::hw::testing {

/// Faults that a made cluster may have.
enum class Fault {
  none,
  slow_node,     ///< every run of a node takes longer
  slow_gpu,      ///< runs that use one GPU of a node
  slow_nic,      ///< runs that use one of the two GPUs at a NIC of a node
  slow_leaf,     ///< runs between the nodes below a leaf and others
  slow_island,   ///< one port of five nodes, except among themselves
  slow_pair,     ///< every run of a pair
  failing_node,  ///< two of five runs of a node fail
};
[[nodiscard]] std::string to_text(Fault fault);

/// How tests of a made cluster are drawn. Noise as in tests of real clusters: runs differ by
/// `noise` (standard deviation of log time), two measurements of a run by `repeat`; a share of the
/// runs is disturbed by another job and takes up to 2.5 times as long; a few fail.
struct MadeCluster {
  int nodes = 12;
  int gpus = 8;
  std::vector<int> counts{1, 4, 8};  ///< GPUs per node of the tests of each pair
  std::string collective = "alltoall";
  double noise = 0.006, repeat = 0.003;
  double disturbed = 0.01, failed = 0.002;
  Fault fault = Fault::none;
  double factor = 1.3;  ///< time of a run that meets the fault, over the healthy time
  std::uint64_t seed = 1;
};

/// The nodes and GPUs of the fault that was drawn.
struct MadeFault {
  std::vector<std::string> nodes{}, gpus{};
};

struct MadeTests {
  std::vector<PairRun> runs{};
  MadeFault fault{};
};

/// Tests of all pairs. Each test uses GPUs drawn for each node: one, a half, or all.
[[nodiscard]] MadeTests make_tests(const MadeCluster& cluster);

/// The table as read_pair_runs() reads it.
[[nodiscard]] std::string csv_of(const std::vector<PairRun>& runs);

}  // namespace railyard::hw::testing
