#include "hw/nccl/gpu_calls.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::hw::nccl {

void GpuCalls::failed(const char* name, const std::string& reason) const {
  throw BackendError(fmt::format("{}: {}: {}", place_, name, reason));
}

void GpuCalls::nccl_failed(const char* name, int result) const {
  const NcclFunctions& nccl = libraries_.nccl();
  std::string reason = fmt::format("{} ({})", nccl.get_error_string(result), result);
  const char* last = nccl.get_last_error == nullptr ? nullptr : nccl.get_last_error(nullptr);
  std::string text = last == nullptr ? "" : last;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  reason += text.empty() ? "; NCCL_DEBUG=WARN says more" : fmt::format("; NCCL says: {}", text);
  failed(name, reason);
}

void GpuCalls::cuda_failed(const char* name, int result) const {
  failed(name, fmt::format("{} ({})", libraries_.cuda().get_error_string(result), result));
}

}  // namespace railyard::hw::nccl
