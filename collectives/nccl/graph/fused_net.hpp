#pragma once

#include <string>
#include <vector>

namespace railyard::collectives::nccl {

/// Ports or NICs that NCCL uses as one (NIC fusion): a virtual NIC with the sum of their rates.
struct FusedNet {
  int dev = 0;                 ///< its net number, counted on from the last one of the node
  std::string name{};          ///< "mlx5_0+mlx5_1"
  std::vector<int> members{};  ///< net numbers of those that it takes the place of, ascending
  friend bool operator==(const FusedNet&, const FusedNet&) = default;
};

}  // namespace railyard::collectives::nccl
