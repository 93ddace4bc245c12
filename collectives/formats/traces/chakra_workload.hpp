#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/formats/traces/chakra_file.hpp"
#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// The trace of a rank and the file that it is from.
struct ChakraRank {
  std::uint32_t rank = 0;
  std::string file;
  ChakraTrace trace;
};

/// The rank of "NAME.RANK.et". Throws InputError for another name.
[[nodiscard]] std::uint32_t rank_of_chakra_file(const std::string& file);

/// Traces of the ranks of a job, ascending by rank, as a workload: computation on one stream and
/// what runs on the host on another, in the order of the file; communication as soon as what it
/// depends on has ended. Sends are buffered: what depends on one begins with it. Throws InputError
/// with file and node.
[[nodiscard]] ImportedWorkload workload_of_chakra(std::vector<ChakraRank> ranks,
                                                  const TraceImport& import);

/// A Chakra trace of each rank of a workload: the order of streams as dependencies, groups as
/// pg_name "FAMILY/NUMBER". A dependency on a begin becomes one on what that operation waits for,
/// unless it is a send.
/// Durations are whole microseconds, rounded. Throws InputError beyond 20 million nodes.
[[nodiscard]] std::vector<ChakraTrace> chakra_of_workload(const Workload& workload);

}  // namespace railyard::collectives
