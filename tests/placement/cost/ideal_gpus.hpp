#pragma once

#include "placement/model/processor.hpp"

namespace railyard::placement {

/// A GPU that loses nothing in matrix products: 1, 2 and 4 TFLOP/s in 16, 8 and 4 bit, in products
/// of any shape and in attention; memory is no bound (10^18 bytes a second).
inline Processor computing_gpu() {
  constexpr std::int64_t kTera = 1'000'000'000'000;
  return {.gpu = {.name = "computing",
                  .memory_bandwidth = Bandwidth::gigabytes_per_second(1'000'000'000)},
          .spec = {.fp16 = FlopRate::per_second(kTera),
                   .fp8 = FlopRate::per_second(2 * kTera),
                   .fp4 = FlopRate::per_second(4 * kTera),
                   .multiprocessors = 1,
                   .matrix_efficiency = 1,
                   .fp8_efficiency = 1,
                   .fp4_efficiency = 1,
                   .tile_load = 0,
                   .wave_tail = 1,
                   .memory_efficiency = 1,
                   .roofline_norm = 100,
                   .stream_efficiency = 1,
                   .score_efficiency = 1,
                   .attention_efficiency = 1,
                   .attention_backward_efficiency = 1}};
}

/// The same GPU with 1 TB/s of memory for elementwise kernels, on which products take no time.
inline Processor streaming_gpu() {
  Processor gpu = computing_gpu();
  gpu.gpu.memory_bandwidth = Bandwidth::gigabytes_per_second(1000);
  gpu.spec.memory_efficiency = 1e12;
  for (FlopRate* rate : {&gpu.spec.fp16, &gpu.spec.fp8, &gpu.spec.fp4})
    *rate = FlopRate::per_second(9'000'000'000'000'000'000);
  return gpu;
}

}  // namespace railyard::placement
