#pragma once

#include <cstdint>
#include <vector>

#include "collectives/nccl/search/node_search.hpp"

namespace railyard::collectives::nccl {

/// A node up to what its graphs do not depend on. Hosts without ranks come last, because no rank
/// reaches them; all others keep their order. Hosts, NICs and net numbers are numbered in order of
/// appearance. Nodes of equal form have equal graphs up to their net numbers: in a domain of 72
/// GPUs, the GPUs of any two hosts next to each other.
///
/// Example: GPUs 4 to 7 of an NVL72 are the second of 18 hosts, with net numbers 4 to 7. Its form
/// is that of GPUs 0 to 3, with net numbers 0 to 3.
struct NodeForm {
  System system;
  std::vector<int> nets;  ///< NCCL's net numbers by those of the form
};
/// `system` must have no fused NICs, whose members are net numbers.
[[nodiscard]] NodeForm node_form(const System& system);

/// Equal for equal systems.
[[nodiscard]] std::uint64_t hash_of(const System& system);

/// The node `system` from the search of another node of equal form: `from` and `to` are the net
/// numbers of their forms.
[[nodiscard]] SearchedNode searched_alike(const System& system, const SearchedNode& other,
                                          const std::vector<int>& from, const std::vector<int>& to,
                                          const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
