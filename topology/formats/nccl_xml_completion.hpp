#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/formats/nccl_xml_elements.hpp"

namespace railyard::topology {

/// Numbers the GPUs and NICs. If the file lists devices only by PCI class, adds the properties that
/// NCCL would read from the machine. `gpu` is the name of the GPU type; "" guesses it from the PCI
/// id or the PCIe generation.
void complete_xml_node(XmlNode& xml, const XmlDocument& document, std::string_view gpu,
                       Diagnostics& problems, std::vector<std::string>& notes);

}  // namespace railyard::topology
