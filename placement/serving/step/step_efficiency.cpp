#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

StepEfficiency fitted_efficiency(Engine engine) {
  // "railyard validate --fit" on every fourth line of configs/validation/serving_runs.csv; errors
  // on all: results/serving.md.
  StepEfficiency e{.weights = 0.784,
                   .weights4 = 0.515,
                   .matrix = 0.993,
                   .matrix8 = 0.565,
                   .kv = 0.772,
                   .kv8 = 0.685,
                   .attention = 0.786,
                   .experts = 0.959,
                   .imbalance = 1.70,
                   .skew = 0.401,
                   .expanded = 0.584,
                   .quantize_us = 22.6,
                   .kernel_us = 3.68,
                   .layer_us = 5.08,
                   .routing_us = 7.73,
                   .reduce_us = 8.31,
                   .reduce_rank_us = 1.12,
                   .reduce_rate = 0.678,
                   .sequence_us = 7.72,
                   .request_ms = 30.4};
  switch (engine) {
    case Engine::vllm: e.host_us = 1073, e.launch_us = 7.65; break;
    case Engine::sglang: e.host_us = 580, e.launch_us = 22.4; break;
    case Engine::trtllm: e.host_us = 323, e.launch_us = 18.3; break;
  }
  return e;
}

}  // namespace railyard::placement::serving
