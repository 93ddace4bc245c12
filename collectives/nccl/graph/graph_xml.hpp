#pragma once

#include <string>
#include <string_view>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/graph/system.hpp"

namespace railyard::collectives::nccl {

/// NCCL's graph XML (version 1; NCCL 2.30.7, src/graph/search.cc, ncclTopoGetXmlFromGraphs): the
/// channels of a node as NCCL_GRAPH_DUMP_FILE writes them and NCCL_GRAPH_FILE reads them. GPUs and
/// NICs are identified by number, GPUs also by rank within the node. Throws InputError if a graph
/// has C2C paths, which NCCL cannot read.
[[nodiscard]] std::string write_graph_xml(const Graphs& graphs, const System& system);

/// Reads graph XML for a node; `inter`: the communicator has several nodes. Graphs that are not in
/// the file stay empty. Throws InputError with every problem: an unknown GPU or NIC, a channel with
/// a missing or repeated GPU, or a channel without a NIC if `inter`.
[[nodiscard]] Graphs read_graph_xml(std::string_view text, const std::string& file,
                                    const System& system, bool inter);

}  // namespace railyard::collectives::nccl
