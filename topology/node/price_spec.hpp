#pragma once

#include <string>

namespace railyard::topology {

/// The price of using a GPU, including its share of node and network. Key "price" of
/// configs/gpus/*.json.
struct PriceSpec {
  double per_hour = 0;
  std::string currency{};  ///< "USD"
  std::string source{};    ///< the provider or publication; data sheets contain no prices
};

}  // namespace railyard::topology
