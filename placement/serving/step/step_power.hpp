#pragma once

#include "placement/serving/step/serving_memory.hpp"
#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Power of a GPU over its thermal design power while it reads `bytes` and computes `flops` in
/// `seconds`:
///   share = min(1.03, 0.289 + 0.714 · bytes/(seconds · bandwidth) + 3.16 · flops/(seconds · peak))
/// Fitted to prompts and decodes of Llama 2 70B on A100 (Patel et al., Splitwise, ISCA 2024;
/// data/perf_model.csv of Mutinifni/splitwise-sim) with Cauchy's loss; errors: results/serving.md.
/// BLOOM 176B was left out. Prompts' powers are the highest readings of a run, so a GPU reaches its
/// cap at a quarter of the peak: products are not the whole of a prompt's step.
/// Example: 17.2 GB in 45 ms are 0.19 of an A100's 2,039 GB/s, so 0.42 of its 400 W.
[[nodiscard]] double power_share(const Processor& gpu, double bytes, double flops, double seconds,
                                 FlopRate peak);

/// The same of a GPU of a replica during a step: weights (of experts those that the tokens choose)
/// and KV cache are read; 2 operations per active parameter and token, on the format's peak.
[[nodiscard]] double step_power_share(const Model& model, const Processor& gpu,
                                      const Deployment& deployment, const ServingMemory& memory,
                                      const StepBatch& batch, double seconds);

}  // namespace railyard::placement::serving
