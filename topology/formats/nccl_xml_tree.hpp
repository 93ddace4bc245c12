#pragma once

#include <string>
#include <vector>

#include "topology/formats/nccl_xml_elements.hpp"

namespace railyard::topology {

/// Reads the CPUs of the file and their PCIe trees.
[[nodiscard]] XmlNode read_xml_tree(const XmlDocument& document, Diagnostics& problems,
                                    std::vector<std::string>& notes);

}  // namespace railyard::topology
