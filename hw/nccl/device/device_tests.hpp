#pragma once

#include "hw/gpu_tools.hpp"

namespace railyard::hw::nccl {

/// Tests every GPU in turn, on a thread that can be left behind: a call that does not end within
/// the timeout is a BackendError that names it.
[[nodiscard]] GpuTests test_gpus(const GpuTestOptions& options);

/// All kernels for a compute capability, compiled by NVRTC from a folder.
[[nodiscard]] std::string compile_for(const std::string& libraries, int compute_capability);

inline constexpr GpuTools kGpuTools{test_gpus, compile_for};

}  // namespace railyard::hw::nccl
