#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

StepEfficiency fitted_efficiency(Engine engine) {
  // "railyard validate --fit" on every fourth line of configs/validation/serving_runs.csv; errors
  // on all: results/serving.md.
  StepEfficiency e{.weights = 0.772,
                   .weights4 = 0.509,
                   .matrix = 1.0,
                   .matrix8 = 0.593,
                   .matrix4 = 0.600,
                   .kv = 0.799,
                   .kv8 = 0.686,
                   .attention = 0.819,
                   .experts = 0.889,
                   .imbalance = 1.95,
                   .skew = 0.437,
                   .expanded = 0.589,
                   .quantize_us = 20.5,
                   .kernel_us = 3.50,
                   .layer_us = 5.03,
                   .routing_us = 6.90,
                   .reduce_us = 7.53,
                   .reduce_rank_us = 1.16,
                   .reduce_rate = 0.506,
                   .sequence_us = 7.67,
                   .request_ms = 26.2};
  switch (engine) {
    case Engine::vllm: e.host_us = 1123, e.launch_us = 8.00; break;
    case Engine::sglang: e.host_us = 619, e.launch_us = 22.9; break;
    // The fit gives 40.9 us, with which prompts lengthen the decodes beside them too much.
    case Engine::trtllm: e.host_us = 314, e.launch_us = 22.0; break;
  }
  return e;
}

}  // namespace railyard::placement::serving
