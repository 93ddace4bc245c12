#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

StepEfficiency fitted_efficiency(Engine engine) {
  // From "railyard validate --fit" on every fourth line of configs/validation/serving_runs.csv.
  // Errors over all lines: results/serving.md.
  StepEfficiency e{.weights = 0.765,
                   .weights4 = 0.506,
                   .matrix = 1.0,
                   .matrix8 = 0.598,
                   .matrix4 = 0.610,
                   .kv = 0.839,
                   .kv8 = 0.693,
                   .attention = 0.772,
                   .experts = 0.918,
                   .imbalance = 1.70,
                   .skew = 0.460,
                   .expanded = 0.566,
                   .quantize_us = 27.8,
                   .kernel_us = 3.35,
                   .layer_us = 5.06,
                   .routing_us = 7.62,
                   .reduce_us = 7.91,
                   .reduce_rank_us = 1.22,
                   .reduce_rate = 0.474,
                   .sequence_us = 8.09,
                   .request_ms = 28.3,
                   .intake_ms = 1.01,
                   .token_us = 1.27};
  switch (engine) {
    case Engine::vllm: e.host_us = 1110, e.launch_us = 8.00; break;
    case Engine::sglang: e.host_us = 571, e.launch_us = 22.0; break;
    case Engine::trtllm: e.host_us = 341, e.launch_us = 29.5; break;
  }
  return e;
}

}  // namespace railyard::placement::serving
