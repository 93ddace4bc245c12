#include "apps/cli/commands.hpp"

#include <array>

namespace railyard::apps {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"topo", "show, check, import or export a cluster", add_topo},
      Command{"sim", "run a collective on a simulated cluster", add_sim},
      Command{"explain", "every way to do a collective, what it costs and which is chosen",
              add_explain},
      Command{"bench", "run a collective for real, with the prediction beside it", add_bench},
      Command{"probe", "write the cluster file of the machine it runs on", add_probe},
      Command{"validate", "how far predictions are from measured tables", add_validate},
      Command{"calibrate", "fit a cluster file to measured tables", add_calibrate},
      Command{"place", "the fastest strategies of a training job on a cluster", add_place},
      Command{"regress", "compare a suite of simulations with its baseline", add_regress},
      Command{"schema", "JSON Schema and documentation of the config files", add_schema},
      Command{"report", "results to one self-contained HTML file", add_report},
      Command{"completion", "completion script for a shell", add_completion},
  };
  return kCommands;
}

}  // namespace railyard::apps
