#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// The config name of a fabric kind: "rail_clos"; "explicit" for explicit_list.
[[nodiscard]] std::string_view to_text(FabricKind kind);
/// The config name of a transport: "infiniband", "roce", "tcp".
[[nodiscard]] std::string_view to_text(Transport transport);

/// An invalid value of a FabricSpec, by its key.
struct FabricProblem {
  std::string key;
  std::string message;
  std::string hint;
};

/// Finds parameters that are missing, out of range, or not supported by this kind of fabric (the
/// hint lists the kinds that support them). Whether the values fit the number of nodes is only
/// checked when the fabric is built.
[[nodiscard]] std::vector<FabricProblem> check_fabric(const FabricSpec& spec);

}  // namespace railyard::topology
