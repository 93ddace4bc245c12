#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flags.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::apps {

/// The fabric between imported nodes.
struct ImportFabricFlags {
  std::string kind = "single_switch";
  std::string transport = "infiniband";
  std::optional<int> nodes_per_unit, units_per_pod, k, tiers;
  std::string leaf_oversubscription = "1", spine_oversubscription = "1";
  std::string port_bandwidth, fabric_bandwidth;  ///< "": those of the NICs, and those of the ports
};

/// Adds the flags of ImportFabricFlags.
void add_import_fabric_flags(FlagSet app, ImportFabricFlags& flags);

/// The fabric of the flags. Without a flag, the value is that of a reference design, with a note.
/// Throws InputError for unknown names.
[[nodiscard]] topology::FabricSpec import_fabric(const ImportFabricFlags& flags,
                                                 std::vector<std::string>& notes);

}  // namespace railyard::apps
