#include "hw/nccl/device/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hw/nccl/device_identity.hpp"
#include "hw/nccl/gpu_memory.hpp"

namespace railyard::hw::nccl {

Device::Device(GpuCalls& calls, int number) : calls_(calls), number_(number) {
  const CudaFunctions& cuda = calls_.libraries().cuda();
  calls_.cuda("cudaSetDevice", cuda.set_device, number);
  calls_.cuda("cudaStreamCreate", cuda.stream_create, &stream_, kStreamNonBlocking);
  calls_.cuda("cudaEventCreate", cuda.event_create, &begin_);
  calls_.cuda("cudaEventCreate", cuda.event_create, &end_);
  DeviceIdentity identity = identify_device(calls_, number);
  compute_capability_ = identity.compute_capability;
  address_ = std::move(identity.address);
}

Device::~Device() {
  const CudaFunctions& cuda = calls_.libraries().cuda();
  for (Event event : {begin_, end_}) {
    if (event != nullptr) (void)cuda.event_destroy(event);
  }
  if (stream_ != nullptr) (void)cuda.stream_destroy(stream_);
}

void Device::copy(std::byte* to, const std::byte* from, std::uint64_t bytes) const {
  calls_.cuda("cudaMemcpyAsync", calls_.libraries().cuda().memcpy_async, to, from,
              std::size_t{bytes}, kCopyDefault, stream_);
}

void Device::wait() const { wait_for_stream(calls_, stream_, nullptr); }

Time Device::timed(int iterations, const std::function<void()>& enqueue) const {
  const CudaFunctions& cuda = calls_.libraries().cuda();
  enqueue();
  wait();
  calls_.cuda("cudaEventRecord", cuda.event_record, begin_, stream_);
  for (int i = 0; i < iterations; ++i) enqueue();
  calls_.cuda("cudaEventRecord", cuda.event_record, end_, stream_);
  wait();
  float milliseconds = 0;
  calls_.cuda("cudaEventElapsedTime", cuda.event_elapsed_time, &milliseconds, begin_, end_);
  return Time::picoseconds(static_cast<std::int64_t>(double{milliseconds} * 1e9 / iterations));
}

void Device::repeat(std::byte* to, const std::string& table, std::uint64_t bytes) const {
  const std::uint64_t written = std::min<std::uint64_t>(table.size(), bytes);
  copy(to, reinterpret_cast<const std::byte*>(table.data()), written);
  for (std::uint64_t done = written; done < bytes; done *= 2)
    copy(to + done, to, std::min(done, bytes - done));
  wait();
}

DeviceBuffer::DeviceBuffer(const Device& device, std::uint64_t bytes, Place place)
    : device_(device), place_(place) {
  const CudaFunctions& cuda = device.calls().libraries().cuda();
  const bool pinned = place == Place::host;
  const char* call = pinned ? "cudaMallocHost" : "cudaMalloc";
  void* memory = nullptr;
  const int result = device.calls().noted(call, pinned ? cuda.malloc_host : cuda.malloc, &memory,
                                          std::size_t{bytes});
  if (result != kCudaSuccess) {
    device.calls().failed(call, fmt::format("{} ({}) for {:.2f} GiB", cuda.get_error_string(result),
                                            result, static_cast<double>(bytes) / 0x1p30));
  }
  data_ = static_cast<std::byte*>(memory);
}

DeviceBuffer::~DeviceBuffer() {
  const CudaFunctions& cuda = device_.calls().libraries().cuda();
  (void)(place_ == Place::host ? cuda.free_host(data_) : cuda.free(data_));
}

}  // namespace railyard::hw::nccl
