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

/// "sum_float32": the kernel of a type and an operation.
[[nodiscard]] std::string kernel_name(collectives::DataType type, collectives::ReduceOp op);

/// "average_float32": divides results of an average in place.
[[nodiscard]] std::string average_kernel_name(collectives::DataType type);

/// A kernel of the text: its type and operation.
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

/// The kernels for a GPU: that file of the folder, or compiled by NVRTC. Throws BackendError.
[[nodiscard]] std::string kernel_binary(const std::string& folder, int compute_capability,
                                        std::optional<KernelChoice> only = {});

/// Throws BackendError where a call of the CUDA driver failed.
void check_driver(const GpuCalls& calls, const KernelFunctions& functions, const char* name,
                  int result);

/// One reduction on one device, loaded.
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
