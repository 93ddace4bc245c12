#pragma once

#include <string>

namespace fake {

/// A reduction kernel of hw/nccl/reduction_kernel.cu, compiled for the host.
using HostKernel = void (*)(char* into, const char* from, unsigned long long count);
/// nullptr where there is none of that name.
[[nodiscard]] HostKernel host_kernel(const std::string& name);

}  // namespace fake
