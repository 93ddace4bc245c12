#include "apps/topo/topo_commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> topo_commands() {
  static constexpr std::array kCommands{
      Command{"list", "List the shipped clusters, nodes, GPUs, jobs, models and other configs",
              add_topo_list},
      Command{"show", "Print the nodes, switch tiers, bandwidths and hop counts of a cluster",
              add_topo_show},
      Command{"check", "Find likely mistakes in a cluster file, and fabrics that cannot be built",
              add_topo_check},
      Command{"import", "Convert another tool's topology into a cluster file", add_topo_import},
      Command{"export", "Write a cluster in another tool's format, or as a picture",
              add_topo_export},
  };
  return kCommands;
}

}  // namespace railyard::apps
