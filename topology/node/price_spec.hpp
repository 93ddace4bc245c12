#pragma once

#include <string>

namespace railyard::topology {

/// What a GPU costs to use, its share of node and network included. Key "price" of
/// configs/gpus/*.json.
struct PriceSpec {
  double per_hour = 0;
  std::string currency{};  ///< "USD"
  std::string source{};    ///< whose price it is: no data sheet has one
};

}  // namespace railyard::topology
