#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// A node read from another program's file, and what had to be assumed or left out, a sentence
/// each.
struct ImportedNode {
  NodeSpec node;
  std::vector<std::string> notes;
};

/// Reads NCCL's topology XML: what NCCL_TOPO_DUMP_FILE writes, the virtual topologies of cloud
/// images that list GPUs and NICs by PCI class alone, and RCCL's (version 2, xGMI). `file` is named
/// in errors and gives the node its name. `gpu` names the GPU type where the file does not tell it.
/// Throws InputError with every problem, each with its line and element.
/// Format and assumptions: docs/models/importers.md.
[[nodiscard]] ImportedNode read_nccl_xml(std::string_view text, const std::string& file,
                                         std::string_view gpu = {});

/// The node alone.
[[nodiscard]] NodeSpec import_nccl_xml(std::string_view text, const std::string& file);

}  // namespace railyard::topology
