#pragma once

#include <cstdint>
#include <vector>

#include "collectives/nccl/search/node_search.hpp"

namespace railyard::collectives::nccl {

/// A canonical form of a node: the node without the properties that do not affect its graphs. Hosts
/// without ranks come last, because no rank reaches them; all others keep their order. Hosts, NICs
/// and net numbers are renumbered in order of appearance. Nodes with equal forms have the same
/// graphs except for net numbers. In a domain of 72 GPUs, for example, the GPUs of any two adjacent
/// hosts have equal forms.
///
/// Example: GPUs 4 to 7 of an NVL72 are the second of 18 hosts, with net numbers 4 to 7. Their form
/// is that of GPUs 0 to 3, with net numbers 0 to 3.
struct NodeForm {
  System system;
  std::vector<int> nets;  ///< NCCL's net number for each net number of the form
};
/// Requires a system without fused NICs, because these refer to net numbers.
[[nodiscard]] NodeForm node_form(const System& system);

/// A hash of a system; equal systems have equal hashes.
[[nodiscard]] std::uint64_t hash_of(const System& system);

/// Converts the search result of another node with an equal form to the node `system`. `from` and
/// `to` are NodeForm::nets of the other node and of this node.
[[nodiscard]] SearchedNode searched_alike(const System& system, const SearchedNode& other,
                                          const std::vector<int>& from, const std::vector<int>& to,
                                          const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
