#pragma once

#include "core/units.hpp"
#include "placement/serving/step/deployment.hpp"

namespace railyard::placement::serving {

/// The server process in front of an engine. It processes requests one after another. Times are in
/// seconds.
struct Frontend {
  double request = 0;      ///< per request, before it reaches the engine
  double input_token = 0;  ///< per prompt token: tokenizing
  double latency = 0;      ///< network and HTTP, one direction; requests overlap
  /// Time of a single request, both directions.
  [[nodiscard]] double seconds(double input) const {
    return 2 * latency + request + input_token * input;
  }
};

/// Overheads of a step that data sheets do not contain, equal for all GPUs and models. Fitted to
/// measured engines (docs/models/serving.md, results/serving.md).
struct StepEfficiency {
  double weights = 0.8;   ///< share of memory bandwidth in products with 8-bit and 16-bit weights
  double weights4 = 0.6;  ///< the same for 4-bit weights
  double matrix = 0.8;    ///< rate of bf16 products / rate of short measurements
  double matrix8 = 0.7;   ///< the same for 8-bit products
  /// The same for dense 8-bit products whose inputs have one scale per tensor that is known before
  /// the run, so that the preceding kernel quantizes. 0: matrix8. Grouped products of experts use
  /// matrix8.
  double static8 = 0;
  double matrix4 = 0.6;    ///< the same for 4-bit products
  double kv = 0.6;         ///< share of memory bandwidth in attention of decodes
  double kv8 = 0.6;        ///< the same for an 8-bit KV cache, which is expanded
  double attention = 0.6;  ///< rate of attention of prompts / rate of short measurements
  double experts = 0.6;    ///< share of memory bandwidth in grouped products of experts
  double imbalance = 1.2;  ///< load of the most loaded expert rank / mean load
  double skew = 0.3;       ///< popularity at share u of the experts: (1 - skew) · u^-skew
  /// The same as `matrix` for products whose 4-bit weights are expanded to 16 bits.
  double expanded = 0.6;
  /// Per layer with experts: quantize activations to 8 bits with a scale per block.
  double quantize_us = 30;
  double kernel_us = 2;    ///< gap between two kernels of a CUDA graph
  double layer_us = 5;     ///< per layer: small kernels (norms, rotary, cache write, activation)
  double routing_us = 20;  ///< per layer with experts: router, sorting and combining
  double reduce_us = 5;    ///< start of an all-reduce of two ranks in a node
  double reduce_rank_us = 0.5;  ///< added per further rank
  double reduce_rate = 0.7;     ///< all-reduce rate / NVLink rate
  double host_us = 1000;        ///< host's time between two steps, during which the GPU waits
  double sequence_us = 5;       ///< added per sequence: sampling, detokenizing
  double request_ms = 20;       ///< network and HTTP per request, both directions
  double intake_ms = 3;         ///< per request in the server, which handles one at a time
  double token_us = 2;          ///< added per prompt token: tokenizing
  double launch_us = 5;         ///< host's time per kernel without a CUDA graph

  [[nodiscard]] Frontend frontend() const {
    return {
        .request = 1e-3 * intake_ms, .input_token = 1e-6 * token_us, .latency = 5e-4 * request_ms};
  }
};

/// The shipped values of an engine, fitted to measured runs.
[[nodiscard]] StepEfficiency fitted_efficiency(Engine engine);

}  // namespace railyard::placement::serving
