#pragma once

#include <string_view>

#include "placement/serving/step/serving_memory.hpp"
#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Open-loop load: requests arrive at a rate that does not depend on the replica.
struct OpenLoad {
  double rate = 0;    ///< requests per second to one replica
  double input = 0;   ///< tokens of a prompt
  double output = 0;  ///< tokens of an answer
  double cached = 0;  ///< leading tokens of a prompt that are found in the KV cache
};

/// The resource that limits a replica.
enum class ServingLimit { none, compute, hbm, kv_memory, sequences, communication, host };
[[nodiscard]] std::string_view name_of(ServingLimit limit);

/// Steady state at a request rate. Times are means in seconds.
struct OpenResult {
  bool stable = false;  ///< arrivals do not exceed what the replica can serve
  double step = 0;      ///< mean time of a step: TPOT
  double running = 0;   ///< sequences that decode: rate · output · step (Little's law)
  double use = 0;       ///< share of the time spent on prompts
  /// Half a step + own prompt while others decode + wait for other prompts, use · prompt / (2 (1 -
  /// use)) (M/D/1).
  double ttft = 0;
  /// Part of the step that limits it, or reason of instability.
  ServingLimit bound_by = ServingLimit::none;
};

/// Seconds that a prompt takes beyond its share of a step when it passes pp stages one after
/// another: (1 - 1/pp) of the prompt's time alone.
[[nodiscard]] double pipeline_seconds(const StepModel& model, double input);

/// Steady state at load.rate.
///
///   step = t(B decodes) / (1 - rate · p)     p: time that a prompt adds to a step
///   B    = rate · output · step              sequences per copy of attention
///
/// Unstable if rate · p >= 1, or if B exceeds max_sequences or what the KV cache holds.
[[nodiscard]] OpenResult open_load(const StepModel& model, const ServingMemory& memory,
                                   const OpenLoad& load);

/// The highest request rate (requests per second) at which a replica is stable, and the resource
/// that limits it. `load.rate` is ignored.
struct Saturation {
  double rate = 0;
  ServingLimit limit = ServingLimit::none;
};
[[nodiscard]] Saturation saturation(const StepModel& model, const ServingMemory& memory,
                                    const OpenLoad& load);

}  // namespace railyard::placement::serving
