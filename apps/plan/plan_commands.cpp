#include "apps/plan/plan_commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> plan_commands() {
  static constexpr std::array kCommands{
      Command{"train", "GPUs, days, energy, money and goodput of a training", add_plan_train},
  };
  return kCommands;
}

}  // namespace railyard::apps
