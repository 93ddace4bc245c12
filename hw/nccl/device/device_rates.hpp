#pragma once

#include <vector>

#include "hw/gpu_tools.hpp"
#include "hw/nccl/device/device.hpp"
#include "hw/probe/nvml_meter.hpp"

namespace railyard::hw::nccl {

/// Rates of memory, by bytes read plus bytes written: copy (on the GPU), fill, add (two operands
/// and a result, a reduction kernel), host_to_device and device_to_host (pinned memory); and the
/// time of a kernel without work (launch).
[[nodiscard]] std::vector<GpuTestRow> measure_memory(const Device& device,
                                                     const GpuTestOptions& options);

/// Matrix products with cuBLAS on random values in bfloat16, and the largest square ones also in
/// float16 and float32 (TF32); then the largest bfloat16 product for options.sustained, with power
/// and clock read meanwhile. Throws BackendError: cuBLAS is missing or fails.
[[nodiscard]] std::vector<GpuTestRow> measure_products(const Device& device,
                                                       const GpuTestOptions& options,
                                                       const NvmlMeter& meter);

}  // namespace railyard::hw::nccl
