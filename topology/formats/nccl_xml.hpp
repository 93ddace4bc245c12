#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// A node read from another tool's file, and notes on what was assumed or left out, one sentence
/// each.
struct ImportedNode {
  NodeSpec node;
  std::vector<std::string> notes;
};

/// Reads NCCL's topology XML: the output of NCCL_TOPO_DUMP_FILE, the virtual topologies of cloud
/// images (which list GPUs and NICs only by PCI class), and RCCL's XML (version 2, xGMI). `file` is
/// the name in errors and the source of the node's name. `gpu` is the GPU type if the file does not
/// contain it. Throws InputError with every problem, each with line and element. Format and
/// assumptions: docs/models/importers.md.
[[nodiscard]] ImportedNode read_nccl_xml(std::string_view text, const std::string& file,
                                         std::string_view gpu = {});

/// Like read_nccl_xml(), without the notes.
[[nodiscard]] NodeSpec import_nccl_xml(std::string_view text, const std::string& file);

}  // namespace railyard::topology
