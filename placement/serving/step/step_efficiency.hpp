#pragma once

#include "core/units.hpp"
#include "placement/serving/step/deployment.hpp"

namespace railyard::placement::serving {

/// What a step takes beyond the data sheet. Shared by all GPUs and models; fitted to measured
/// engines (docs/models/serving.md, results/serving.md).
struct StepEfficiency {
  double weights = 0.8;    ///< share of the memory bandwidth in products, 8 and 16 bit
  double weights4 = 0.6;   ///< the same of 4-bit weights
  double matrix = 0.8;     ///< rate of bf16 products over that of short measurements
  double matrix8 = 0.7;    ///< the same of 8-bit and 4-bit products
  double kv = 0.6;         ///< share of the memory bandwidth in attention of decodes
  double attention = 0.6;  ///< rate of prompts' attention over that of short measurements
  double experts = 0.6;    ///< share of the memory bandwidth in grouped products of experts
  double imbalance = 1.2;  ///< most loaded expert rank over the mean
  double kernel_us = 2;    ///< from kernel to kernel of a CUDA graph
  double layer_us = 5;     ///< small kernels of a layer: norms, rotary, cache write, activation
  double routing_us = 20;  ///< router, sorting and combining of a layer with experts
  double reduce_us = 5;    ///< start of an all-reduce within a node, two ranks
  double reduce_rank_us = 0.5;  ///< added by each further rank
  double reduce_rate = 0.7;     ///< share of NVLink's rate in an all-reduce
  double host_us = 1000;        ///< host's time between two steps that the GPU waits for
  double sequence_us = 5;       ///< added by each sequence: sampling, detokenizing
  double request_ms = 30;       ///< of a request outside of steps: HTTP, tokenizing, first answer
  double launch_us = 5;         ///< launch of a kernel by the host, without a CUDA graph
};

/// The fitted values of an engine.
[[nodiscard]] StepEfficiency fitted_efficiency(Engine engine);

}  // namespace railyard::placement::serving
