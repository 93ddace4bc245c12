#include "hw/nccl/gpu_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "collectives/schedule/holdings.hpp"
#include "core/diagnostic.hpp"

namespace railyard::hw::nccl {
namespace {

/// Bytes that are compared at once.
constexpr std::uint64_t kWindow = std::uint64_t{16} << 20;
/// The content of memory before it is written.
constexpr int kUnwritten = 0xA5;

}  // namespace

void wait_for_stream(GpuCalls& calls, Stream stream, Comm comm) {
  const CudaFunctions& cuda = calls.libraries().cuda();
  const NcclFunctions& nccl = calls.libraries().nccl();
  const auto dry = [&] {
    for (;;) {
      const int result = cuda.stream_query(stream);
      if (result != kCudaNotReady) return result;
      int error = kNcclSuccess;
      if (comm != nullptr && nccl.comm_get_async_error(comm, &error) == kNcclSuccess &&
          error != kNcclSuccess && error != kNcclInProgress)
        calls.nccl_failed("while the GPU ran (ncclCommGetAsyncError)", error);
      std::this_thread::yield();
    }
  };
  if (const int result = calls.noted("waiting for the GPU (cudaStreamQuery)", dry);
      result != kCudaSuccess)
    calls.cuda_failed("cudaStreamQuery", result);
}

GpuMemory::GpuMemory(GpuCalls& calls, BlockPlan plan, const GpuMemoryOptions& options)
    : calls_(calls),
      plan_(std::move(plan)),
      options_(options),
      values_(plan_.collective.type, plan_.collective.op, plan_.ranks, options.seed),
      element_(static_cast<std::size_t>(size_of(plan_.collective.type).count())),
      period_(std::clamp<std::uint64_t>(plan_.blocks * (plan_.block_bytes / element_), 1,
                                        TestValues::kPeriod)) {
  const NcclFunctions& nccl = calls.libraries().nccl();
  if (options_.registered && (nccl.comm_register == nullptr || nccl.comm_deregister == nullptr ||
                              nccl.mem_alloc == nullptr || nccl.mem_free == nullptr)) {
    calls.failed("--registered", fmt::format("NCCL {} has no ncclMemAlloc or ncclCommRegister",
                                             nccl_version_text(calls.libraries().nccl_version())));
  }
  arena_ = allocated(plan_.arena_bytes);
  if (options_.registered)
    calls.nccl("ncclCommRegister", nccl.comm_register, options_.comm, static_cast<void*>(arena_),
               std::size_t{plan_.arena_bytes}, &registration_);
  if (options_.separate_inputs) inputs_ = allocated(plan_.before.size() * plan_.block_bytes);
}

GpuMemory::~GpuMemory() {
  const NcclFunctions& nccl = calls_.libraries().nccl();
  if (registration_ != nullptr) (void)nccl.comm_deregister(options_.comm, registration_);
  for (std::byte* memory : {arena_, inputs_}) {
    if (memory == nullptr) continue;
    (void)(options_.registered ? nccl.mem_free(memory) : calls_.libraries().cuda().free(memory));
  }
}

std::byte* GpuMemory::allocated(std::uint64_t bytes) {
  void* memory = nullptr;
  const std::size_t size = std::max<std::uint64_t>(bytes, 1);
  if (options_.registered) {
    calls_.nccl("ncclMemAlloc", calls_.libraries().nccl().mem_alloc, &memory, size);
    return static_cast<std::byte*>(memory);
  }
  const CudaFunctions& cuda = calls_.libraries().cuda();
  if (const int result = calls_.noted("cudaMalloc", cuda.malloc, &memory, size);
      result != kCudaSuccess) {
    calls_.failed("cudaMalloc", fmt::format("{} ({}) for {:.2f} GiB", cuda.get_error_string(result),
                                            result, static_cast<double>(size) / 0x1p30));
  }
  return static_cast<std::byte*>(memory);
}

void GpuMemory::copy(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  calls_.cuda("cudaMemcpyAsync", calls_.libraries().cuda().memcpy_async, to, from,
              std::size_t{bytes}, kCopyDefault, options_.stream);
}

void GpuMemory::wait() { wait_for_stream(calls_, options_.stream, nullptr); }

void GpuMemory::reset() {
  const auto memset_async = calls_.libraries().cuda().memset_async;
  calls_.cuda("cudaMemsetAsync", memset_async, arena_, kUnwritten, std::size_t{plan_.arena_bytes},
              options_.stream);
  restore();
}

void GpuMemory::restore() {
  const std::vector<std::byte> table = plan_.before.empty()
                                           ? std::vector<std::byte>()
                                           : values_.of(plan_.before.front().participant, period_);
  for (std::size_t i = 0; i < plan_.before.size(); ++i) {
    const BlockPlace& place = plan_.before[i];
    repeat(inputs_ != nullptr ? inputs_ + i * plan_.block_bytes : arena_ + place.offset, table,
           first_element(place.block));
  }
  wait();
}

void GpuMemory::bring() {
  if (inputs_ == nullptr) return;
  for (std::size_t i = 0; i < plan_.before.size(); ++i)
    copy(arena_ + plan_.before[i].offset, inputs_ + i * plan_.block_bytes, plan_.block_bytes);
}

void GpuMemory::repeat(std::byte* to, std::span<const std::byte> table, std::uint64_t first) {
  const std::uint64_t written = std::min<std::uint64_t>(plan_.block_bytes, table.size());
  host_.resize(written);
  fill(host_, table, first, element_);
  copy(to, host_.data(), written);
  for (std::uint64_t done = written; done < plan_.block_bytes; done *= 2)
    copy(to + done, to, std::min(done, plan_.block_bytes - done));
  wait();  // host_ is used again
}

std::uint64_t GpuMemory::first_element(std::uint64_t block) const {
  return block * (plan_.block_bytes / element_) % period_;
}

void GpuMemory::check_block(const BlockPlace& place, std::span<const std::byte> table,
                            CheckResult& result) {
  for (std::uint64_t done = 0; done < plan_.block_bytes; done += kWindow) {
    host_.resize(std::min(kWindow, plan_.block_bytes - done));
    copy(host_.data(), arena_ + place.offset + done, host_.size());
    wait();
    result += check_range(place, {.type = plan_.collective.type,
                                  .got = host_,
                                  .table = table,
                                  .first = (first_element(place.block) + done / element_) % period_,
                                  .offset = done,
                                  .tolerance = options_.tolerance});
  }
}

CheckResult GpuMemory::check() {
  CheckResult result;
  for (const BlockPlace& place : plan_.after) {
    const auto whose = collectives::contributor(plan_.collective, plan_.ranks, place.block);
    const std::vector<std::byte> table =
        whose ? values_.of(*whose, period_) : values_.reduced(period_);
    check_block(place, table, result);
  }
  return result;
}

}  // namespace railyard::hw::nccl
