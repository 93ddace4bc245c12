#pragma once

#include "placement/serving/step/serving_memory.hpp"
#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Power of a GPU as a share of its thermal design power, while it reads `bytes` and computes
/// `flops` in `seconds`:
///
///   share = min(1.03, 0.289 + 0.714 · bytes/(seconds · bandwidth) + 3.16 · flops/(seconds · peak))
///
/// Fitted with Cauchy's loss to prompts and decodes of Llama 2 70B on A100 (Patel et al.,
/// Splitwise, ISCA 2024; data/perf_model.csv of Mutinifni/splitwise-sim); BLOOM 176B was left out.
/// Errors: results/serving.md. Powers of prompts are the highest readings of a run, so a GPU
/// reaches its cap at a quarter of the peak: a prompt's step does not only consist of products.
/// Example: 17.2 GB in 45 ms are 0.19 of an A100's 2,039 GB/s, so 0.42 of its 400 W.
[[nodiscard]] double power_share(const Processor& gpu, double bytes, double flops, double seconds,
                                 FlopRate peak);

/// The same for a GPU of a replica during a step. It reads weights (experts: those that the tokens
/// choose) and KV cache, and computes 2 operations per active parameter and token; the peak is that
/// of the weights' format.
[[nodiscard]] double step_power_share(const Model& model, const Processor& gpu,
                                      const Deployment& deployment, const ServingMemory& memory,
                                      const StepBatch& batch, double seconds);

}  // namespace railyard::placement::serving
