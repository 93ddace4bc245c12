#pragma once

#include "collectives/algorithms/algorithm.hpp"

namespace railyard::collectives {

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
