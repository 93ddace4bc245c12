#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// NCCL_IB_HCA: which NICs NCCL uses. "mlx5_0,mlx5_1:1" are beginnings of names, with a port or
/// without; "=mlx5_1" compares whole names; "^mlx5_3" takes all others; "^=" both (NCCL 2.30
/// src/misc/utils.cc, parseStringList and matchIfList).
class NicFilter {
 public:
  /// "NCCL_IB_HCA=mlx5_0,mlx5_1". Throws InputError at --env for another variable and for a list
  /// without a name.
  [[nodiscard]] static NicFilter parse(std::string_view setting);

  [[nodiscard]] bool keeps(std::string_view name, int port) const;

 private:
  struct Item {
    std::string name;
    int port = -1;  ///< -1: any
  };
  std::vector<Item> items_;
  bool excludes_ = false, is_exact_ = false;
};

/// Removes the NICs of a node that the filter does not keep, numbers the rest anew, and returns
/// what was removed: "mlx5_3". Throws InputError with the names of the node where none would
/// remain.
std::vector<std::string> remove_nics(NodeSpec& node, const NicFilter& filter);

}  // namespace railyard::topology
