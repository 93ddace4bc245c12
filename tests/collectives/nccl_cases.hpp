#pragma once

#include <string>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::collectives::nccl {

/// What NCCL 2.30.7 computed for a system (../shared/truth/nccl_model/cases.json).
struct NcclCase {
  struct Entry {
    Kind kind{};
    TuningAlgorithm algorithm{};
    Protocol protocol{};
    double latency_us = 0;  ///< to one decimal
    double bandwidth = 0;   ///< to four
  };
  struct Choice {
    Kind kind{};
    std::int64_t bytes = 0;
    TuningAlgorithm algorithm{};
    Protocol protocol{};
    double time_us = 0;  ///< to two decimals
  };
  std::string name;
  std::string node_file;      ///< NCCL XML of one node
  Communicator communicator;  ///< without the orders of the channels
  std::vector<Entry> entries;
  std::vector<Choice> choices;
};

/// None where this checkout lies without them.
[[nodiscard]] std::vector<NcclCase> nccl_cases();

/// DGX H100 with a 400 Gb/s NIC per GPU, as the search describes it (NCCL 2.30.7; the same on any
/// number of nodes from two on): 8 channels of 48 GB/s, the NVLS graph 40 inside a node.
[[nodiscard]] Communicator dgx_h100(int nodes);
/// The same with one GPU and its NIC per node.
[[nodiscard]] Communicator single_h100(int nodes);

}  // namespace railyard::collectives::nccl
