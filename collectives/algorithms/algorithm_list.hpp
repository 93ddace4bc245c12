#pragma once

#include <string>
#include <string_view>

#include "collectives/algorithms/request.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// One way to do some collectives.
struct Algorithm {
  std::string_view name;     ///< "ring", "tree", "nvls", "nvls_tree", "collnet_direct", ...
  std::string_view summary;  ///< one line for --help and docs
  bool (*supports)(Kind kind);
  /// Empty if the request can be served, else why not, with what would make it possible.
  std::string (*why_not)(const Request& request);
  /// Requires why_not(request).empty().
  Schedule (*build)(const Request& request);
};

/// Each algorithm's row of the table, defined in the file of its name.
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
