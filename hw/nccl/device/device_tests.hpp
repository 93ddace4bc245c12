#pragma once

#include "hw/gpu_tools.hpp"

namespace railyard::hw::nccl {

/// Tests every GPU in turn, on a thread that is abandoned if a call does not end within the
/// timeout. Throws BackendError that names this call.
[[nodiscard]] GpuTests test_gpus(const GpuTestOptions& options);

/// The reduction kernels for a compute capability as a cubin, compiled by the NVRTC of a folder.
[[nodiscard]] std::string compile_for(const std::string& libraries, int compute_capability);

inline constexpr GpuTools kGpuTools{test_gpus, compile_for};

}  // namespace railyard::hw::nccl
