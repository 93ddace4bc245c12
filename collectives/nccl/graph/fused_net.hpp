#pragma once

#include <string>
#include <vector>

namespace railyard::collectives::nccl {

/// A virtual NIC made of ports or NICs by NCCL's NIC fusion. Its rate is the sum of their rates.
struct FusedNet {
  int dev = 0;                 ///< its net number; follows the last one of the node
  std::string name{};          ///< "mlx5_0+mlx5_1"
  std::vector<int> members{};  ///< net numbers of the fused ports, ascending
  friend bool operator==(const FusedNet&, const FusedNet&) = default;
};

}  // namespace railyard::collectives::nccl
