#pragma once

#include <string>
#include <string_view>

#include "topology/formats/nccl_xml.hpp"

namespace railyard::topology {

/// Reads what `nvidia-smi topo -m` prints (colours and all) and rebuilds a node
/// that has those relations: PIX shares a PCIe switch, PXB a tree of two
/// levels, PHB and NODE a CPU, SYS differs in the CPU; NV# are NVLinks, to the
/// NVSwitches where they are more than a GPU of type `gpu` has towards single
/// peers. The text gives no speeds: PCIe and NIC rates are those usual with the
/// GPU, as `notes` say. Throws InputError where the text is no such matrix or
/// contradicts itself.
[[nodiscard]] ImportedNode read_nvidia_smi(std::string_view text, const std::string& file,
                                           const GpuSpec& gpu);

}  // namespace railyard::topology
