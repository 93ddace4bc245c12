#pragma once

#include <string>
#include <string_view>

#include "topology/formats/nccl_xml.hpp"

namespace railyard::topology {

/// Reads the output of `nvidia-smi topo -m` (with or without colours) and builds a node with these
/// relations between devices: PIX is a common PCIe switch, PXB a tree of two switch levels, PHB and
/// NODE a common CPU, SYS different CPUs. NV# are NVLinks; they lead to NVSwitches if a GPU of type
/// `gpu` has fewer NVLinks than its row adds up to. The text contains no speeds: PCIe and NIC rates
/// that are usual with the GPU are assumed and listed in `notes`. Throws InputError if the text is
/// not such a matrix or contradicts itself.
[[nodiscard]] ImportedNode read_nvidia_smi(std::string_view text, const std::string& file,
                                           const GpuSpec& gpu);

}  // namespace railyard::topology
