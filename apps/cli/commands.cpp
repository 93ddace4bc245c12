#include "apps/cli/commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"topo", "Show, check, import or export a cluster", add_topo},
      Command{"sim", "Simulate a collective on a cluster", add_sim},
      Command{"explain", "List algorithms and protocols with their cost and NCCL's choice",
              add_explain},
      Command{"bench", "Run a collective live and compare it with the prediction", add_bench},
      Command{"probe", "Write a cluster file of this machine", add_probe},
      Command{"validate", "Compare predictions with measured tables", add_validate},
      Command{"calibrate", "Fit a cluster file to measured tables", add_calibrate},
      Command{"place", "Find the fastest strategies of a training job on a cluster", add_place},
      Command{"plan", "Plan capacity: a training, a fabric to buy, the serving of a model",
              add_plan},
      Command{"replay", "Run a workload or a trace of another tool on a cluster", add_replay},
      Command{"regress", "Compare a suite of simulations with its baseline", add_regress},
      Command{"schema", "Print the JSON Schema or documentation of config files", add_schema},
      Command{"report", "Write results as one self-contained HTML file", add_report},
      Command{"completion", "Print a completion script for a shell", add_completion},
  };
  return kCommands;
}

}  // namespace railyard::apps
