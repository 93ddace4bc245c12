#pragma once

#include <string>
#include <string_view>

#include "collectives/algorithms/request.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// An algorithm for one or several kinds of collectives: a row of the table of algorithms.
struct Algorithm {
  std::string_view name;     ///< "ring", "tree", "nvls", "nvls_tree", "collnet_direct", ...
  std::string_view summary;  ///< one line for --help and docs
  bool (*supports)(Kind kind);
  /// Empty if the algorithm can serve the request; else the reason, and what would make it
  /// possible.
  std::string (*why_not)(const Request& request);
  /// Requires why_not(request).empty().
  Schedule (*build)(const Request& request);
};

/// The table row of each algorithm, defined in the file of the same name.
[[nodiscard]] Algorithm ring_algorithm();
[[nodiscard]] Algorithm tree_algorithm();
[[nodiscard]] Algorithm collnet_direct_algorithm();
[[nodiscard]] Algorithm collnet_chain_algorithm();
[[nodiscard]] Algorithm nvls_algorithm();
[[nodiscard]] Algorithm nvls_tree_algorithm();
[[nodiscard]] Algorithm pat_algorithm();
[[nodiscard]] Algorithm halving_doubling_algorithm();
[[nodiscard]] Algorithm hierarchical_algorithm();
[[nodiscard]] Algorithm direct_algorithm();
[[nodiscard]] Algorithm rail_pxn_algorithm();
[[nodiscard]] Algorithm rail_direct_algorithm();
[[nodiscard]] Algorithm neighbour_algorithm();

}  // namespace railyard::collectives
