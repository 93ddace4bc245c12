#include "apps/commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"completion", "completion script for a shell", add_completion},
  };
  return kCommands;
}

}  // namespace railyard::apps
