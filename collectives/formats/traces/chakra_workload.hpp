#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/formats/traces/chakra_file.hpp"
#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// The trace of a rank and its file.
struct ChakraRank {
  std::uint32_t rank = 0;
  std::string file;
  ChakraTrace trace;
};

/// The rank of "NAME.RANK.et". Throws InputError for another name.
[[nodiscard]] std::uint32_t rank_of_chakra_file(const std::string& file);

/// Converts the traces of a job, ascending by rank, into a workload. Computation is on one stream
/// and host work on another, in the order of the file. Communication begins when its dependencies
/// have ended. Sends are buffered: their dependents begin when the send begins. Throws InputError
/// with file and node.
[[nodiscard]] ImportedWorkload workload_of_chakra(std::vector<ChakraRank> ranks,
                                                  const TraceImport& import);

/// Converts a workload into a Chakra trace for each rank. Stream order becomes dependencies, groups
/// become pg_name "FAMILY/NUMBER". A dependency on the begin of an operation becomes dependencies
/// on the predecessors of that operation, unless it is a send. Durations are rounded to
/// microseconds. Throws InputError beyond 20 million nodes.
[[nodiscard]] std::vector<ChakraTrace> chakra_of_workload(const Workload& workload);

}  // namespace railyard::collectives
