#pragma once

#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Clients that each send a request, wait for its last token, and send the next.
struct ClosedLoad {
  double concurrency = 1;  ///< clients of one copy of attention
  double input = 0;        ///< tokens of a prompt
  double output = 0;       ///< tokens of an answer
  /// All clients send at the same time and the prompts run before the decodes: of the other
  /// prompts half run, on average, before a request's own. Else prompts come spread over time.
  bool burst = false;
};

/// Means over requests, in seconds.
struct ClosedResult {
  double ttft = 0;  ///< without queueing for a place in the batch
  double tpot = 0;
  double running = 0;       ///< sequences that decode
  double tokens_per_s = 0;  ///< output tokens, concurrency / (ttft + (output - 1) · tpot) · output
};

/// Steady state of a replica whose batch holds all clients.
///
///   tpot = t(B decodes) + (C - 1) · f · added / output, added: of a prompt (prompt_batch.hpp)
///   B = C · f;  f = output · tpot / (output · tpot + ttft), the share of its time that a request
///   decodes (burst: f = 1/2 in the second term and 1 in B)
///   ttft = step with prompts + 0.5 or 1.5 steps of decodes (burst: (C + 1)/2 prompts), and the
///   request's time outside of steps
///
/// The context of a decode is input + output/2 tokens. Solved by repetition.
[[nodiscard]] ClosedResult closed_loop(const StepModel& model, const ClosedLoad& load);

}  // namespace railyard::placement::serving
