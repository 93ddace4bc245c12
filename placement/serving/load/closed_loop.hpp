#pragma once

#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Closed-loop load: a fixed number of clients, each of which sends its next request after the last
/// token of the previous one.
struct ClosedLoad {
  double concurrency = 1;  ///< clients of one copy of attention
  double input = 0;        ///< tokens of a prompt
  double output = 0;       ///< tokens of an answer
  /// All prompts and all answers are equally long: requests that start in one step also end in one
  /// step, and their successors arrive together. Otherwise prompts arrive at different times.
  bool equal_lengths = false;
};

/// Means over requests, in seconds.
struct ClosedResult {
  double ttft = 0;  ///< without the wait for a place in the batch
  double tpot = 0;
  double running = 0;       ///< sequences that decode
  double tokens_per_s = 0;  ///< output tokens, concurrency / (ttft + (output - 1) · tpot) · output
};

/// Steady state of a replica whose batch holds the requests of all C clients.
///
///   tpot = t(B decodes) + (C - 1) · f · added / output
///   B    = C · f
///   f    = output · tpot / (output · tpot + ttft)
///   ttft = t(step with prompts) + 0.5 or 1.5 · t(step of decodes) + time outside of the engine
///
/// f is the share of a request's time in which it decodes. `added` is the time that a prompt adds
/// to a step (prompt_batch.hpp). 1.5 holds for engines that choose a batch one step ahead. With
/// equal lengths, n = max(1, budget / input) prompts fill a step and the next n arrive while it
/// runs:
///
///   tpot = t(B decodes) + max(0, C - n) · f · added / output
///   ttft = own step with prompts + step of the n prompts before (n >= C: of the first prompt)
///
/// If prompts also run before decodes (SGLang), all C prompts arrive together. Half of the others
/// run before a request's own prompt, so ttft = (C + 1)/2 prompts, f = 1/2 in tpot and f = 1 in B.
///
/// The context of a decode is input + output/2 tokens. Solved by fixed-point iteration.
[[nodiscard]] ClosedResult closed_loop(const StepModel& model, const ClosedLoad& load);

}  // namespace railyard::placement::serving
