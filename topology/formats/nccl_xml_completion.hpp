#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/formats/nccl_xml_elements.hpp"

namespace railyard::topology {

/// Numbers GPUs and NICs, and gives devices that are told by their class what NCCL would find on
/// the machine (`gpu`: name of the GPU type; "" guesses it by PCI id or PCIe generation).
void complete_xml_node(XmlNode& xml, const XmlDocument& document, std::string_view gpu,
                       Diagnostics& problems, std::vector<std::string>& notes);

}  // namespace railyard::topology
