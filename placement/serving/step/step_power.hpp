#pragma once

#include "placement/serving/step/serving_memory.hpp"
#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Power of a GPU over its thermal design power while it reads `bytes` and computes `flops` in
/// `seconds`:
///   share = min(1.04, 0.345 + 0.597 · bytes/(seconds · bandwidth) + 1.332 · flops/(seconds ·
///   peak))
/// Least squares over prompts and decodes of Llama 2 70B on A100 (Patel et al., Splitwise, ISCA
/// 2024; data/perf_model.csv of Mutinifni/splitwise-sim), mean error 5.0 % of decodes and 9.6 % of
/// prompts; of BLOOM 176B, left out, 3.5 % and 12.1 %. Prompts' powers are the highest of a run.
/// Example: 17.2 GB in 45 ms are 0.19 of an A100's 2,039 GB/s, so 0.46 of its 400 W.
[[nodiscard]] double power_share(const Processor& gpu, double bytes, double flops, double seconds,
                                 FlopRate peak);

/// The same of a GPU of a replica during a step: weights (of experts those that the tokens choose)
/// and KV cache are read; 2 operations per active parameter and token, on the format's peak.
[[nodiscard]] double step_power_share(const Model& model, const Processor& gpu,
                                      const Deployment& deployment, const ServingMemory& memory,
                                      const StepBatch& batch, double seconds);

}  // namespace railyard::placement::serving
