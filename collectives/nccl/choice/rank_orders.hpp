#pragma once

#include <string>
#include <vector>

#include "collectives/nccl/choice/chooser.hpp"

namespace railyard::collectives::nccl {

/// The order of ranks in channels that have the same order.
struct RankOrder {
  std::string channels;  ///< "Ring 00,08"
  std::string order;     ///< "0 1 2 3"
};

/// The rings and trees of the communicator as lists of ranks, and its fused NICs. For an
/// all_to_all: the order in which the first rank sends to its peers. Empty for a single rank.
[[nodiscard]] std::vector<RankOrder> rank_orders(Chooser& chooser, const ChoiceRequest& asked);

}  // namespace railyard::collectives::nccl
