#include "apps/commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"report", "results to one self-contained HTML file", add_report},
      Command{"completion", "completion script for a shell", add_completion},
  };
  return kCommands;
}

}  // namespace railyard::apps
