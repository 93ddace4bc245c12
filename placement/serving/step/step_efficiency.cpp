#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

StepEfficiency fitted_efficiency(Engine engine) {
  // Fitted by simplex search to the TPOT of dense models, then experts to the others, over the rows
  // that configs/validation/serving.json keeps: results/serving.md.
  StepEfficiency e{.weights = 0.808,
                   .weights4 = 0.526,
                   .matrix = 0.958,
                   .matrix8 = 0.582,
                   .kv = 0.985,
                   .attention = 0.878,
                   .experts = 0.839,
                   .imbalance = 2.22,
                   .kernel_us = 3.78,
                   .layer_us = 4.15,
                   .routing_us = 4.52,
                   .reduce_us = 8.38,
                   .reduce_rank_us = 0.96,
                   .reduce_rate = 0.69,
                   .sequence_us = 17};
  e.host_us = engine == Engine::vllm ? 1128 : engine == Engine::sglang ? 536 : 425;
  return e;
}

}  // namespace railyard::placement::serving
