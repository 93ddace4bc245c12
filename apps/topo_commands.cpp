#include "apps/topo_commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> topo_commands() {
  static constexpr std::array kCommands{
      Command{"show", "what a cluster has: nodes, tiers, bandwidths, hops", add_topo_show},
      Command{"check", "find what is most likely a mistake", add_topo_check},
  };
  return kCommands;
}

}  // namespace railyard::apps
