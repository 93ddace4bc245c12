#pragma once

#include <string>
#include <vector>

#include "topology/formats/nccl_xml_elements.hpp"

namespace railyard::topology {

/// Reads <nvlink>, <xgmi> and <c2c> elements into the node. Requires numbered GPUs.
void read_xml_links(XmlNode& xml, const XmlDocument& document, Diagnostics& problems,
                    std::vector<std::string>& notes);

}  // namespace railyard::topology
