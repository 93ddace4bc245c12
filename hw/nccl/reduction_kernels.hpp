#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/schedule/collective.hpp"
#include "hw/nccl/gpu_calls.hpp"

namespace railyard::hw::nccl {

/// The text of reduction_kernel.cu.
extern const std::string_view kReductionKernelSource;

/// Name of the kernel for a type and an operation: "sum_float32".
[[nodiscard]] std::string kernel_name(collectives::DataType type, collectives::ReduceOp op);

/// Name of the kernel that divides the results of an average in place: "average_float32".
[[nodiscard]] std::string average_kernel_name(collectives::DataType type);

/// Type and operation of a kernel.
struct KernelChoice {
  collectives::DataType type;
  collectives::ReduceOp op;
};

/// Compiles one kernel, or all, for a GPU (90: Hopper) with NVRTC; needs no GPU. Throws
/// BackendError with the compiler's log.
[[nodiscard]] std::string compile_kernels(const CompilerFunctions& functions,
                                          int compute_capability,
                                          std::optional<KernelChoice> only = {});

/// "reduction_kernels_sm_90.cubin": all kernels, compiled in advance (railyard gpu --compile). If
/// it is in the folder of --libraries, NVRTC is not used.
[[nodiscard]] std::string kernel_file_name(int compute_capability);

/// The kernels for a GPU: kernel_file_name in the folder, or compiled by NVRTC. Throws
/// BackendError.
[[nodiscard]] std::string kernel_binary(const std::string& folder, int compute_capability,
                                        std::optional<KernelChoice> only = {});

/// Throws BackendError if a call of the CUDA driver failed.
void check_driver(const GpuCalls& calls, const KernelFunctions& functions, const char* name,
                  int result);

/// A loaded reduction kernel on one device.
class ReductionKernel {
 public:
  /// The device must be current, with a context. Throws BackendError.
  ReductionKernel(GpuCalls& calls, int compute_capability, collectives::DataType type,
                  collectives::ReduceOp op);
  ~ReductionKernel();
  ReductionKernel(const ReductionKernel&) = delete;
  ReductionKernel& operator=(const ReductionKernel&) = delete;

  /// into[i] = op(into[i], from[i]) for whole elements of `bytes`, on a stream.
  void launch(std::byte* into, const std::byte* from, std::uint64_t bytes, Stream stream);
  /// at[i] = at[i] / ranks for whole elements of `bytes`; requires ReduceOp::avg.
  void launch_average(std::byte* at, std::uint64_t bytes, std::uint32_t ranks, Stream stream);

 private:
  void check(const char* name, int result) const;
  void start(Kernel kernel, std::uint64_t bytes, std::array<void*, 3>& arguments, Stream stream);
  GpuCalls& calls_;
  KernelFunctions functions_;
  std::uint64_t element_;
  Module module_ = nullptr;
  Kernel kernel_ = nullptr;
  Kernel average_ = nullptr;
};

}  // namespace railyard::hw::nccl
