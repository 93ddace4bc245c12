#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/capacity/goodput/run_setup.hpp"

namespace railyard::placement {

/// Time that one cause costs a run, in seconds of the whole job.
struct CauseWaste {
  std::string name{};
  double interruptions = 0;
  double lost = 0;  ///< training since the last checkpoint
  double detection = 0, restart = 0;
  double waiting = 0;  ///< for a node, without a ready spare
  double slow = 0;     ///< on fewer nodes, or with a grey failure
  [[nodiscard]] double total() const { return lost + detection + restart + waiting + slow; }
};

/// Result of one run in seconds: elapsed = useful + checkpoint + the totals of all causes.
struct RunResult {
  double elapsed = 0, useful = 0, checkpoint = 0;
  double node_seconds_out = 0;       ///< time under repair, of nodes and spares
  std::vector<CauseWaste> causes{};  ///< in the order of cause_names()
};

/// Names of the causes of a setup: those of the model, "lemon nodes" and "repeated failures", or
/// the classes of the trace; then its grey failures.
[[nodiscard]] std::vector<std::string> cause_names(const RunSetup& setup);

/// Mean seconds between interruptions of the job, after lemon nodes have been replaced; for a trace
/// the mean over its length.
[[nodiscard]] double mean_time_to_failure(const RunSetup& setup);

/// Simulates one run, event by event. Checkpoints between two failures are counted, not simulated
/// one by one. Random numbers depend only on (seed, run) and the cause, so runs of setups that
/// differ in something else have the same failures.
///
/// A failure that takes a node uses a spare. Without a spare the job waits for a repair, or
/// continues at speed v (shrunk) and returns to speed v' when a node is back. With t the time until
/// the next repair, C a checkpoint, R a restart and M the mean time to the next failure,
/// NodeMissing::fastest continues if v t > v' (C + R). It returns to v' at once if v' (M - C - R) >
/// v M, otherwise with the restart of the next failure. Example: v = 0.7, v' = 1, C + R = 60 s: it
/// continues without a node that returns after 86 s or later.
///
/// A grey failure slows the job until it is found. It is then repaired in place, or the job writes
/// a checkpoint and restarts without the node. While the job is down only failures that take a node
/// count.
///
/// Run 0 replays a trace from its first day, other runs from a random day; it starts again at its
/// end. Nodes of the job are drawn from those of the trace. Throws InputError if the trace has
/// fewer nodes than the setup.
[[nodiscard]] RunResult simulate_run(const RunSetup& setup, std::uint64_t seed, std::uint64_t run);

}  // namespace railyard::placement
