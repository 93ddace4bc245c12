#include "placement/serving/step/number_format.hpp"

namespace railyard::placement::serving {
namespace {

FlopRate times(FlopRate rate, int n) { return FlopRate::per_second(rate.per_second() * n); }

FlopRate int8_peak(const Processor& gpu) {
  const int capability = gpu.gpu.compute_capability;
  if (capability >= 90) return gpu.spec.fp8;
  return capability >= 80 ? times(gpu.spec.fp16, 2) : FlopRate();
}

FlopRate fp4_peak(const Processor& gpu) {
  const int capability = gpu.gpu.compute_capability;
  if (capability < 100) return FlopRate();
  return times(gpu.spec.fp8, capability == 103 ? 3 : 2);
}

}  // namespace

double bytes_per_value(NumberFormat format) {
  switch (format) {
    case NumberFormat::bf16: return 2;
    case NumberFormat::fp8: return 1 + 4.0 / (128 * 128);
    case NumberFormat::int8: return 1;
    case NumberFormat::int4: return 0.5 + 2.5 / 128;
    case NumberFormat::nvfp4: return 0.5 + 1.0 / 16;
  }
  return 2;
}

double kv_bytes_per_value(NumberFormat format, double head_dim) {
  return format == NumberFormat::int4 ? 0.5 + 4 / head_dim : bytes_per_value(format);
}

Arithmetic weight_arithmetic(const Processor& processor, NumberFormat weights) {
  const topology::ComputeSpec& c = processor.compute();
  Arithmetic how{.peak = c.fp16,
                 .efficiency = c.matrix_efficiency,
                 .left_bytes = 2,
                 .right_bytes = bytes_per_value(weights),
                 .result_bytes = 2};
  const auto computed_in = [&](FlopRate rate) {
    if (rate == FlopRate()) return;
    how.peak = rate;
    how.efficiency = c.fp8_efficiency;
    how.left_bytes = how.right_bytes;
  };
  if (weights == NumberFormat::fp8) computed_in(c.fp8);
  if (weights == NumberFormat::int8) computed_in(int8_peak(processor));
  if (weights == NumberFormat::nvfp4) computed_in(fp4_peak(processor));
  return how;
}

}  // namespace railyard::placement::serving
