#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/id.hpp"

namespace railyard::topology {

class Cluster;

/// The nodes of a cluster in the order in which a scheduler allocates them to a job. `order` is
/// "contiguous" (by number), "random" (shuffled with the seed), or a file of node numbers and names
/// ("7", "node7", "node[0-3,8]"), any number per line, with comments after "#". Throws InputError
/// at `flag` or at a line of the file for an unknown or repeated node, or an unreadable file.
[[nodiscard]] std::vector<NodeId> nodes_in_order(const Cluster& cluster, const std::string& order,
                                                 std::uint64_t seed, const std::string& flag);

/// The first `count` ranks on the nodes, node by node in the given order. Throws InputError at
/// `flag` if the nodes have fewer ranks.
[[nodiscard]] std::vector<Rank> ranks_of_nodes(const Cluster& cluster,
                                               const std::vector<NodeId>& nodes, std::size_t count,
                                               const std::string& flag);

}  // namespace railyard::topology
