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
  double cached = 0;  ///< leading tokens of a prompt that are in the KV cache
};

/// The resource that limits a replica.
enum class ServingLimit { none, compute, hbm, kv_memory, sequences, communication, host };
[[nodiscard]] std::string_view name_of(ServingLimit limit);

/// Steady state at a request rate. Times are means in seconds.
struct OpenResult {
  bool stable = false;  ///< the replica keeps up
  double step = 0;      ///< mean time of a step: TPOT
  double running = 0;   ///< sequences that decode: rate · output · step (Little)
  double use = 0;       ///< share of the time that goes to prompts
  double ttft = 0;      ///< half a step, own prompt among the decodes, and the wait for other
                        ///< prompts: use · prompt / (2 (1 - use)), M/D/1
  ServingLimit bound_by = ServingLimit::none;  ///< of the step, or what makes it unstable
};

/// What a prompt takes longer through pp stages than its share of a step: it passes them one after
/// another, (1 - 1/pp) of its time alone.
[[nodiscard]] double pipeline_seconds(const StepModel& model, double input);

/// step = t(B decodes) / (1 - rate · p), p the time that a prompt adds to a step; B = rate · output
/// · step per copy of attention. Unstable where rate · p >= 1, or B exceeds the sequences that the
/// engine runs or the KV cache holds.
[[nodiscard]] OpenResult open_load(const StepModel& model, const ServingMemory& memory,
                                   const OpenLoad& load);

/// The highest request rate at which a replica is stable (the rate in `load` is ignored), and the
/// resource that limits it.
struct Saturation {
  double rate = 0;
  ServingLimit limit = ServingLimit::none;
};
[[nodiscard]] Saturation saturation(const StepModel& model, const ServingMemory& memory,
                                    const OpenLoad& load);

}  // namespace railyard::placement::serving
