#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/id.hpp"

namespace railyard::topology {

class Cluster;

/// The nodes of a cluster in the order in which a scheduler gives them to a job.
/// "contiguous": by number. "random": shuffled by the seed. Anything else is a file that lists node
/// numbers or names ("7", "node7", "node[0-3,8]"), any number on a line; "#" begins a comment.
/// Throws InputError at `flag`, or at the line of the file, for an unknown or repeated node, and
/// for a file that cannot be read.
[[nodiscard]] std::vector<NodeId> nodes_in_order(const Cluster& cluster, const std::string& order,
                                                 std::uint64_t seed, const std::string& flag);

/// The first `count` ranks of the nodes in that order, node by node. Throws InputError at `flag` if
/// the nodes have fewer.
[[nodiscard]] std::vector<Rank> ranks_of_nodes(const Cluster& cluster,
                                               const std::vector<NodeId>& nodes, std::size_t count,
                                               const std::string& flag);

}  // namespace railyard::topology
