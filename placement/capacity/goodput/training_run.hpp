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

/// The causes of a setup: those of the model, "lemon nodes" and "repeated failures", or the classes
/// of the trace; then its grey failures.
[[nodiscard]] std::vector<std::string> cause_names(const RunSetup& setup);

/// Mean seconds between interruptions of the job, once lemon nodes that get replaced are gone; of a
/// trace the mean over its length.
[[nodiscard]] double mean_time_to_failure(const RunSetup& setup);

/// Simulates a run from event to event; between two failures the checkpoints are counted, not
/// stepped through. Draws depend on (seed, run) and the cause alone, so that runs of setups that
/// differ in something else meet the same failures. A failure that takes a node takes a spare.
/// Without one the job waits for a repair, or goes on at speed v (shrunk) and back to v' when a
/// node returns. NodeMissing::fastest goes on where v t > v' (C + R): t until the next repair ends,
/// C a checkpoint, R a restart. It goes back at once where v' (M - C - R) > v M, M the mean time to
/// the next failure, else with the restart of that failure. Example: v = 0.7, v' = 1, C + R = 60 s:
/// it goes on without a node that returns after 86 s or later. A grey failure slows the job until
/// it is found; then it is repaired, or the job writes a checkpoint and restarts without its node.
/// While the job is down only failures that take a node count. A trace is replayed from its first
/// day by run 0, from a drawn day by others, and starts again at its end; nodes of the job are
/// drawn among those of the trace. Throws InputError where the trace has fewer nodes than the
/// setup.
[[nodiscard]] RunResult simulate_run(const RunSetup& setup, std::uint64_t seed, std::uint64_t run);

}  // namespace railyard::placement
