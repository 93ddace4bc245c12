#include "apps/cli/commands.hpp"

#include <array>

#include "apps/sim/sim_lists.hpp"

namespace railyard::apps {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"topo", "Show, check, import or export a cluster", add_topo},
      Command{"sim", "Simulate a collective on a cluster", add_sim, true, run_sim_lists},
      Command{"explain", "List algorithms and protocols with their cost and NCCL's choice",
              add_explain},
      Command{"bench", "Run a collective on real hardware and compare it with the prediction",
              add_bench, false},
      Command{"probe", "Write a cluster file that describes this machine", add_probe, false},
      Command{"gpu", "Test the GPUs of this machine: kernels, memory, matrix products", add_gpu,
              false},
      Command{"validate", "Compare predictions with measured tables", add_validate, false},
      Command{"calibrate", "Fit the time model of a cluster file to measured tables", add_calibrate,
              false},
      Command{"diagnose", "Find the sick component from tests of pairs of nodes", add_diagnose,
              false},
      Command{"place", "Find the fastest strategies of a training job on a cluster", add_place},
      Command{"plan", "Plan capacity for a training, a fabric to buy, or the serving of a model",
              add_plan},
      Command{"replay",
              "Simulate a recorded or generated workload on a cluster (PyTorch, Chakra, GOAL)",
              add_replay},
      Command{"sweep", "Run a command for a grid, a list or a random sample of inputs; resumable",
              add_sweep, false},
      Command{"regress", "Compare a suite of simulations with its baseline, for CI", add_regress,
              false},
      Command{"schema", "Print the JSON Schema or the documentation of a config file", add_schema,
              false},
      Command{"report", "Write results as one self-contained HTML file", add_report, false},
      Command{"completion", "Print a completion script for a shell", add_completion, false},
  };
  return kCommands;
}

}  // namespace railyard::apps
