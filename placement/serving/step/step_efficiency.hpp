#pragma once

#include "core/units.hpp"
#include "placement/serving/step/deployment.hpp"

namespace railyard::placement::serving {

/// The server process in front of an engine. It processes requests one after another; times in
/// seconds.
struct Frontend {
  double request = 0;      ///< per request, before the engine sees it
  double input_token = 0;  ///< per token of a prompt: tokenizing
  double latency = 0;      ///< of the network and HTTP, each way; many pass at the same time
  /// Of a request alone, both ways.
  [[nodiscard]] double seconds(double input) const {
    return 2 * latency + request + input_token * input;
  }
};

/// Overheads of a step beyond the data sheet, equal for all GPUs and models; fitted to measured
/// engines (docs/models/serving.md, results/serving.md).
struct StepEfficiency {
  double weights = 0.8;   ///< share of the memory bandwidth in products, 8 and 16 bit
  double weights4 = 0.6;  ///< the same of 4-bit weights
  double matrix = 0.8;    ///< rate of bf16 products over that of short measurements
  double matrix8 = 0.7;   ///< the same of 8-bit products
  /// The same of dense 8-bit products whose inputs have one scale per tensor that is known ahead,
  /// so that the kernel before quantizes; 0: matrix8. Grouped products of experts have matrix8.
  double static8 = 0;
  double matrix4 = 0.6;    ///< the same of 4-bit products
  double kv = 0.6;         ///< share of the memory bandwidth in attention of decodes
  double kv8 = 0.6;        ///< the same of an 8-bit KV cache, which is expanded
  double attention = 0.6;  ///< rate of prompts' attention over that of short measurements
  double experts = 0.6;    ///< share of the memory bandwidth in grouped products of experts
  double imbalance = 1.2;  ///< most loaded expert rank over the mean
  double skew = 0.3;      ///< of the experts' popularity: that at share u has (1 - skew) · u^-skew
  double expanded = 0.6;  ///< rate of products whose 4-bit weights are expanded to 16 bits
  double quantize_us = 30;  ///< activations to 8 bits with a scale per block, a layer with experts
  double kernel_us = 2;     ///< from kernel to kernel of a CUDA graph
  double layer_us = 5;      ///< small kernels of a layer: norms, rotary, cache write, activation
  double routing_us = 20;   ///< router, sorting and combining of a layer with experts
  double reduce_us = 5;     ///< start of an all-reduce within a node, two ranks
  double reduce_rank_us = 0.5;  ///< added by each further rank
  double reduce_rate = 0.7;     ///< share of NVLink's rate in an all-reduce
  double host_us = 1000;        ///< host's time between two steps that the GPU waits for
  double sequence_us = 5;       ///< added by each sequence: sampling, detokenizing
  double request_ms = 20;       ///< network and HTTP of a request, both ways
  double intake_ms = 3;         ///< of a request in the server, one after another
  double token_us = 2;          ///< added by each token of its prompt: tokenizing
  double launch_us = 5;         ///< of the host per kernel, without a CUDA graph

  [[nodiscard]] Frontend frontend() const {
    return {
        .request = 1e-3 * intake_ms, .input_token = 1e-6 * token_us, .latency = 5e-4 * request_ms};
  }
};

/// The fitted values of an engine.
[[nodiscard]] StepEfficiency fitted_efficiency(Engine engine);

}  // namespace railyard::placement::serving
