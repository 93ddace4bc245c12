#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::hw {

/// One size of a run.
struct PairTest {
  Bytes bytes{};          ///< as nccl-tests prints it
  Time time{};            ///< out of place
  Time in_place{};        ///< the second measurement; 0: not measured
  double busbw_GBps = 0;  ///< bus bandwidth out of place; 0: not stated
};

/// How a run ended. `missing`: there is no result, and the reason is not known.
enum class RunStatus { ok, failed, missing };

/// One collective between two nodes, at one or several sizes.
struct PairRun {
  std::string node_a{}, node_b{};
  int gpus_per_node = 0;
  /// Places of the GPUs in a node, in rank order (PCI bus "1b"); empty: not stated.
  std::vector<std::string> gpus_a{}, gpus_b{};
  std::string collective{};  ///< "alltoall", as nccl-tests writes it; "": not stated
  RunStatus status = RunStatus::ok;
  std::vector<PairTest> tests{};  ///< by size, ascending; empty unless ok
  std::string at{};               ///< "FILE:line 12"
};

}  // namespace railyard::hw
