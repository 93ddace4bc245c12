#pragma once

#include <string>
#include <vector>

#include "collectives/nccl/choice/chooser.hpp"

namespace railyard::collectives::nccl {

/// The order of ranks in a part of NCCL's connections.
struct RankOrder {
  std::string channels;  ///< "Ring 00,08"
  std::string order;     ///< "0 1 2 3"
};

/// The rings and trees of the communicator as lists of ranks, and its fused NICs; for an all_to_all
/// the order in which the first rank visits its peers. Nothing for a single rank.
[[nodiscard]] std::vector<RankOrder> rank_orders(Chooser& chooser, const ChoiceRequest& asked);

}  // namespace railyard::collectives::nccl
