#pragma once

#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Closed-loop load: a fixed number of clients, each of which sends its next request after the last
/// token of the previous one.
struct ClosedLoad {
  double concurrency = 1;  ///< clients of one copy of attention
  double input = 0;        ///< tokens of a prompt
  double output = 0;       ///< tokens of an answer
  /// All prompts and all answers are equally long, so that requests which begin in one step end in
  /// one step, and the next ones come together. Else prompts come spread over time.
  bool equal_lengths = false;
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
///   decodes
///   ttft = step with prompts + 0.5 or 1.5 steps of decodes, and the request's time outside of
///   steps
///
/// With equal lengths the prompts of n requests fill a step, and the next n come while it runs:
///
///   tpot = t(B decodes) + max(0, C - n) · f · added / output, n = budget / input, at least 1
///   ttft = own step with prompts + that of the n before, or of the first alone where n hold all
///
/// and where prompts run before decodes, all of them come together: half of the others, on average,
/// run before a request's own, so ttft = (C + 1)/2 prompts, f = 1/2 in tpot and 1 in B.
///
/// The context of a decode is input + output/2 tokens. Solved by repetition.
[[nodiscard]] ClosedResult closed_loop(const StepModel& model, const ClosedLoad& load);

}  // namespace railyard::placement::serving
