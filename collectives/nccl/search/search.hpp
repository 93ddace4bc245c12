#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/graph/node_split.hpp"
#include "collectives/nccl/graph/system.hpp"
#include "collectives/nccl/search/node_search.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "collectives/schedule/group.hpp"

namespace railyard::collectives::nccl {

/// The communicator that NCCL creates on `nodes` nodes like `system`: rings, trees, NVLS and
/// CollNet (if it is enabled and the NICs can reduce); docs/models/nccl_search.md. A node that NCCL
/// splits counts as several nodes. Takes about a millisecond for a node of 8 GPUs; the number of
/// nodes only affects channel counts. Throws InputError if there are several nodes and a GPU
/// reaches no NIC.
[[nodiscard]] Communicator make_communicator(const System& system, int nodes,
                                             const SearchEnvironment& environment = {});

/// The communicator of a group of ranks on any GPUs of any nodes of a cluster. The position in the
/// group is NCCL's rank.
[[nodiscard]] Communicator make_communicator(const topology::Cluster& cluster, const Group& group,
                                             const SearchEnvironment& environment = {});

/// The node of a group's first rank as NCCL sees it, with only the GPUs of the group (and only the
/// rank's part, if NCCL splits the node). If all nodes are equal, its graphs are those of the
/// communicator.
[[nodiscard]] System first_node(const topology::Cluster& cluster, const Group& group,
                                const SearchEnvironment& environment = {});

/// Creates the communicators of one cluster. Each kind of node, with its participating GPUs, is
/// searched once. Not thread-safe.
class CommunicatorSearch {
 public:
  /// The cluster must outlive the search.
  explicit CommunicatorSearch(const topology::Cluster& cluster, SearchEnvironment environment = {})
      : cluster_(cluster), environment_(std::move(environment)) {}

  [[nodiscard]] Communicator communicator(const Group& group);

 private:
  /// Kind of node, and the participating GPUs in rank order.
  using Node = std::pair<std::uint32_t, std::vector<int>>;
  /// The node, the part of it, whether there are several nodes, and whether they suffice for
  /// CollNet.
  using Key = std::tuple<Node, std::size_t, bool, bool>;
  const std::vector<NodePart>& parts(const Node& node);
  const SearchedNode& searched(const Key& key, int nodes);

  const topology::Cluster& cluster_;
  SearchEnvironment environment_;
  std::map<Node, std::vector<NodePart>> parts_;
  std::map<Key, std::shared_ptr<const SearchedNode>> searched_;
};

}  // namespace railyard::collectives::nccl
