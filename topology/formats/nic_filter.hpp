#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// NCCL_IB_HCA: the NICs that NCCL uses. Forms (NCCL 2.30 src/misc/utils.cc, parseStringList and
/// matchIfList):
///   mlx5_0,mlx5_1:1   names that begin so, optionally only one port
///   =mlx5_1           exactly this name
///   ^mlx5_3           all except names that begin so
///   ^=mlx5_3          all except exactly this name
class NicFilter {
 public:
  /// Parses a setting such as "NCCL_IB_HCA=mlx5_0,mlx5_1". Throws InputError at --env for another
  /// variable or a list without a name.
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

/// Removes the NICs that the filter does not keep, renumbers the others and returns the names of
/// those removed ("mlx5_3"). Throws InputError, with all names, if no NIC would remain.
std::vector<std::string> remove_nics(NodeSpec& node, const NicFilter& filter);

}  // namespace railyard::topology
