#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/capacity/goodput/run_setup.hpp"

namespace railyard::placement {

/// Where the time of a run went because of one cause, in seconds of the whole job.
struct CauseWaste {
  std::string name{};
  double interruptions = 0;
  double lost = 0;  ///< training since the last checkpoint
  double detection = 0, restart = 0;
  double waiting = 0;  ///< for a node: no spare was left
  double slow = 0;     ///< on fewer nodes, or with a component that is slow
  [[nodiscard]] double total() const { return lost + detection + restart + waiting + slow; }
};

/// One run: elapsed = useful + checkpoint + the totals of all causes.
struct RunResult {
  double elapsed = 0, useful = 0, checkpoint = 0;
  double node_seconds_out = 0;       ///< of nodes and spares, under repair
  std::vector<CauseWaste> causes{};  ///< those of cause_names()
};

/// The causes of a setup: those of the model and "lemon nodes", or the classes of the trace; then
/// its grey failures.
[[nodiscard]] std::vector<std::string> cause_names(const RunSetup& setup);

/// Simulates a run from event to event; between two failures the checkpoints are counted, not
/// stepped through. Draws depend on (seed, run) and the cause alone, so that runs of setups that
/// differ in something else meet the same failures. A failure that takes a node takes a spare, then
/// waits for a repair or goes on with fewer nodes, and goes back to all of them when one returns.
/// A grey failure slows the job until it is found; then it is repaired, or the job writes a
/// checkpoint and restarts without its node. While the job is down only failures that take a node
/// count. A trace is replayed from its first day by run 0, from a drawn day by others, and starts
/// again at its end; nodes of the job are drawn among those of the trace. Throws InputError where
/// the trace has fewer nodes than the setup.
[[nodiscard]] RunResult simulate_run(const RunSetup& setup, std::uint64_t seed, std::uint64_t run);

}  // namespace railyard::placement
