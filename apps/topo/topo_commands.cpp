#include "apps/topo/topo_commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> topo_commands() {
  static constexpr std::array kCommands{
      Command{"list", "List the clusters, nodes, GPUs, jobs and models that are shipped",
              add_topo_list},
      Command{"show", "Print nodes, tiers, bandwidths and hops of a cluster", add_topo_show},
      Command{"check", "Find likely mistakes in a cluster", add_topo_check},
      Command{"import", "Convert another tool's topology into a cluster file", add_topo_import},
      Command{"export", "Write a cluster in another tool's format, or as a picture",
              add_topo_export},
  };
  return kCommands;
}

}  // namespace railyard::apps
