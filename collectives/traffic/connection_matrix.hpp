#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/traffic/flow.hpp"

namespace railyard::collectives {

/// Reads htsim's format of connection matrices:
///
///     Nodes 16
///     Connections 2
///     0->13 id 1 start 0 size 2000000
///     13->0 id 2 start 5000000 size 2000000
///
/// `start` is in picoseconds, `size` in bytes. `id` and `prio` are read and ignored. Lines that
/// begin with # are comments. Throws InputError with the line for any other content (triggers and
/// failures are not supported), for a node number that is not below `ranks`, and for a wrong number
/// of connections.
[[nodiscard]] std::vector<Flow> parse_connection_matrix(const std::string& text,
                                                        const std::string& file,
                                                        std::uint32_t ranks);

}  // namespace railyard::collectives
