#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// "rail_clos"; "explicit" for explicit_list.
[[nodiscard]] std::string_view to_text(FabricKind kind);
/// "infiniband", "roce", "tcp".
[[nodiscard]] std::string_view to_text(Transport transport);

/// Something that keeps a FabricSpec from being a fabric, at one of its keys.
struct FabricProblem {
  std::string key;
  std::string message;
  std::string hint;
};

/// Parameters that are missing, out of range, or not of this kind of fabric (with the kinds that
/// take them). Whether the numbers make a fabric for given nodes is known when it is built.
[[nodiscard]] std::vector<FabricProblem> check_fabric(const FabricSpec& spec);

}  // namespace railyard::topology
