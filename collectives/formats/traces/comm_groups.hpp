#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace railyard::collectives {

/// Reads the process groups of a Chakra trace, {"name": [0, 1, ...], ...}: TraceImport::groups.
/// Throws InputError with all problems of the file.
[[nodiscard]] std::map<std::string, std::vector<std::uint32_t>> read_comm_groups(
    const std::string& file);

}  // namespace railyard::collectives
