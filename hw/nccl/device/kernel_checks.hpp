#pragma once

#include <vector>

#include "hw/gpu_tools.hpp"
#include "hw/nccl/device/device.hpp"

namespace railyard::hw::nccl {

/// The kernels of hw/nccl/reduction_kernel.cu on a GPU, loaded together.
class DeviceKernels {
 public:
  /// Throws BackendError if the compiler or the driver refuses the kernels.
  explicit DeviceKernels(const Device& device);
  ~DeviceKernels();
  DeviceKernels(const DeviceKernels&) = delete;
  DeviceKernels& operator=(const DeviceKernels&) = delete;

  /// into[i] = op(into[i], from[i]) for `count` elements; enqueued.
  void reduce(collectives::DataType type, collectives::ReduceOp op, std::byte* into,
              const std::byte* from, std::uint64_t count) const;
  /// at[i] = at[i] / ranks; enqueued.
  void average(collectives::DataType type, std::byte* at, std::uint32_t ranks,
               std::uint64_t count) const;

 private:
  [[nodiscard]] Kernel kernel(const std::string& name) const;
  void check(const char* call, int result) const;
  const Device& device_;
  KernelFunctions functions_;
  Module module_ = nullptr;
};

/// Checks every type with every operation, aligned to 16 bytes and unaligned, and the division of
/// averages, on values of all kinds (infinities, NaN, subnormals). Compares each element with the
/// CPU's result (hw/local/reduction.hpp) bit by bit; any NaN equals any other. Returns one row per
/// type and operation.
[[nodiscard]] std::vector<GpuTestRow> check_kernels(const Device& device,
                                                    const GpuTestOptions& options);

}  // namespace railyard::hw::nccl
