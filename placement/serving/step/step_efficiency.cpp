#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

StepEfficiency fitted_efficiency(Engine engine) {
  // "railyard validate --fit" on every fourth line of configs/validation/serving_runs.csv; errors
  // on all: results/serving.md.
  StepEfficiency e{.weights = 0.784,
                   .weights4 = 0.510,
                   .matrix = 1.0,
                   .matrix8 = 0.554,
                   .kv = 0.753,
                   .kv8 = 0.753,
                   .attention = 0.822,
                   .experts = 0.959,
                   .imbalance = 1.71,
                   .skew = 0.403,
                   .expanded = 0.588,
                   .quantize_us = 22.0,
                   .kernel_us = 3.74,
                   .layer_us = 5.05,
                   .routing_us = 7.50,
                   .reduce_us = 8.19,
                   .reduce_rank_us = 1.12,
                   .reduce_rate = 0.681,
                   .sequence_us = 8.31,
                   .request_ms = 30.1};
  switch (engine) {
    case Engine::vllm: e.host_us = 1095, e.launch_us = 7.82; break;
    case Engine::sglang: e.host_us = 580, e.launch_us = 22.4; break;
    case Engine::trtllm: e.host_us = 332, e.launch_us = 19.0; break;
  }
  return e;
}

}  // namespace railyard::placement::serving
