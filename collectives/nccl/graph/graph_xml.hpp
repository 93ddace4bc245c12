#pragma once

#include <string>
#include <string_view>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/graph/system.hpp"

namespace railyard::collectives::nccl {

/// NCCL's graph XML (version 1; NCCL 2.30.7, src/graph/search.cc, ncclTopoGetXmlFromGraphs): the
/// channels of a node as NCCL_GRAPH_DUMP_FILE writes them and NCCL_GRAPH_FILE reads them. GPUs and
/// NICs are named by their numbers, GPUs by their ranks within the node too. Throws InputError
/// where a graph's paths are C2C, which NCCL's reader does not know.
[[nodiscard]] std::string write_graph_xml(const Graphs& graphs, const System& system);

/// Reads it for a node (`inter`: the communicator has others). Graphs that the file leaves out stay
/// empty. Throws InputError with every problem: a GPU or NIC that the node does not have, a channel
/// that misses a GPU, names one twice or, between nodes, names no NIC.
[[nodiscard]] Graphs read_graph_xml(std::string_view text, const std::string& file,
                                    const System& system, bool inter);

}  // namespace railyard::collectives::nccl
