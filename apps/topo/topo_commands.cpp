#include "apps/topo/topo_commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> topo_commands() {
  static constexpr std::array kCommands{
      Command{"show", "what a cluster has: nodes, tiers, bandwidths, hops", add_topo_show},
      Command{"check", "find what is most likely a mistake", add_topo_check},
      Command{"import", "make a cluster file of what other programs say", add_topo_import},
      Command{"export", "write a cluster for other programs, or as a picture", add_topo_export},
  };
  return kCommands;
}

}  // namespace railyard::apps
