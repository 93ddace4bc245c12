#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/graph/node_split.hpp"
#include "collectives/nccl/graph/system.hpp"
#include "collectives/nccl/search/node_search.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "collectives/schedule/group.hpp"

namespace railyard::collectives::nccl {

/// What NCCL knows of a communicator of `nodes` nodes like `system`, after its search: rings,
/// trees, NVLS and (asked for, with NICs that reduce) CollNet; docs/models/nccl_search.md. A node
/// that NCCL splits counts as several. A
/// millisecond for a node of 8 GPUs; the count of nodes matters to the channel counts alone. Throws
/// InputError where several nodes are asked for and a GPU reaches no NIC.
[[nodiscard]] Communicator make_communicator(const System& system, int nodes,
                                             const SearchEnvironment& environment = {});

/// The same of a group of ranks of a cluster, whatever GPUs of which nodes they are on; position in
/// the group is NCCL's rank.
[[nodiscard]] Communicator make_communicator(const topology::Cluster& cluster, const Group& group,
                                             const SearchEnvironment& environment = {});

/// The node of a group's first rank as NCCL sees it (one part where it splits it), with the GPUs
/// that take part: its graphs are the communicator's where all nodes are alike.
[[nodiscard]] System first_node(const topology::Cluster& cluster, const Group& group,
                                const SearchEnvironment& environment = {});

/// Communicators of one cluster: a kind of node, with the GPUs that take part, is searched once.
/// Not for several threads at a time.
class CommunicatorSearch {
 public:
  /// The cluster must outlive the search.
  explicit CommunicatorSearch(const topology::Cluster& cluster, SearchEnvironment environment = {})
      : cluster_(cluster), environment_(environment) {}

  [[nodiscard]] Communicator communicator(const Group& group);

 private:
  /// Kind of node, and the GPUs that take part in rank order.
  using Node = std::pair<std::uint32_t, std::vector<int>>;
  /// Also which part of it, and whether there are other nodes (and enough for CollNet).
  using Key = std::tuple<Node, std::size_t, bool, bool>;
  const std::vector<NodePart>& parts(const Node& node);
  const SearchedNode& searched(const Key& key, int nodes);

  const topology::Cluster& cluster_;
  SearchEnvironment environment_;
  std::map<Node, std::vector<NodePart>> parts_;
  std::map<Key, SearchedNode> searched_;
};

}  // namespace railyard::collectives::nccl
