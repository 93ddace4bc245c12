#include "apps/plan/plan_commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> plan_commands() {
  static constexpr std::array kCommands{
      Command{"train", "Number of GPUs, days, cost, energy and goodput of a training",
              add_plan_train},
      Command{"fabric", "Fabric to buy: parts, price, power and time of a training step",
              add_plan_fabric},
      Command{"serve", "Number of GPUs, latency, throughput and cost of serving a model",
              add_plan_serve},
  };
  return kCommands;
}

}  // namespace railyard::apps
