#pragma once

#include <string>

namespace fake {

/// A reduction kernel of hw/nccl/reduction_kernel.cu, compiled for the host.
using HostKernel = void (*)(char* into, const char* from, unsigned long long count);
/// The kernel that divides averages.
using HostAverage = void (*)(char* at, unsigned long long by, unsigned long long count);
/// nullptr where there is none of that name ("average_float32").
[[nodiscard]] HostAverage host_average(const std::string& name);
/// What NCCL does before it sums an average of floats: each value times 1/ranks, in the type (an
/// index of ncclDataType_t); integers stay.
void scale_before_sum(char* at, unsigned long long count, int type, int ranks);
/// nullptr where there is none of that name.
[[nodiscard]] HostKernel host_kernel(const std::string& name);

}  // namespace fake
