#pragma once

#include <memory>
#include <string>

#include "hw/nccl/gpu_functions.hpp"

namespace railyard::hw::nccl {

/// NCCL and the CUDA runtime, loaded when they are needed: the program links neither and starts on
/// machines that have none. See docs/decisions/007-nccl-loaded-at-run-time.md.
class GpuLibraries {
 public:
  /// Loads libnccl.so.2 and libcudart.so (13, 12, 11) from `folder`; if that is "", from the
  /// loader's paths and /usr/local/cuda/lib64. Throws BackendError with what is missing and how to
  /// get it. A libcudart that does not match NCCL's own is not an error, because NCCL contains its
  /// own.
  explicit GpuLibraries(std::string folder = {});
  ~GpuLibraries();
  GpuLibraries(const GpuLibraries&) = delete;
  GpuLibraries& operator=(const GpuLibraries&) = delete;

  [[nodiscard]] const NcclFunctions& nccl() const { return nccl_; }
  [[nodiscard]] const CudaFunctions& cuda() const { return cuda_; }
  /// Loads the driver's library. Throws BackendError.
  [[nodiscard]] KernelFunctions kernels() const;
  /// The given folder; "": the loader's paths.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// ncclGetVersion: 22809 is 2.28.9.
  [[nodiscard]] int nccl_version() const { return version_; }
  /// Number of GPUs that CUDA reports. Throws BackendError without a driver ("CUDA driver version
  /// is insufficient").
  [[nodiscard]] int device_count() const;

 private:
  std::string folder_;
  NcclFunctions nccl_;
  CudaFunctions cuda_;
  int version_ = 0;
};

/// Loads NVRTC, which compiles without a GPU. Throws BackendError.
[[nodiscard]] CompilerFunctions load_compiler(const std::string& folder);
/// Loads cuBLAS. Throws BackendError.
[[nodiscard]] MatrixFunctions load_matrix_library(const std::string& folder);

/// "2.28.9".
[[nodiscard]] std::string nccl_version_text(int version);

}  // namespace railyard::hw::nccl
