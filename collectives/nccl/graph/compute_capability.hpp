#pragma once

namespace railyard::collectives::nccl {

/// CUDA compute capability of the first GPU of each generation, times 10, as NCCL compares it
/// (CUDA C++ Programming Guide, "Compute Capabilities").
inline constexpr int kAmpere = 80, kHopper = 90, kBlackwell = 100;

}  // namespace railyard::collectives::nccl
