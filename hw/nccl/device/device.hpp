#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/units.hpp"
#include "hw/nccl/gpu_calls.hpp"

namespace railyard::hw::nccl {

/// One GPU with a stream and two events. All calls come from one thread.
class Device {
 public:
  /// Selects the device. Throws BackendError.
  Device(GpuCalls& calls, int number);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] GpuCalls& calls() const { return calls_; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int compute_capability() const { return compute_capability_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] Stream stream() const { return stream_; }

  /// Enqueues a copy in any direction; does not wait.
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) const;
  void wait() const;
  /// Mean time of `enqueue` over `iterations`, by events, after one warm-up that is not counted.
  [[nodiscard]] Time timed(int iterations, const std::function<void()>& enqueue) const;
  /// Fills `bytes` of memory with a table by repeated doubling; waits for the end.
  void repeat(std::byte* to, const std::string& table, std::uint64_t bytes) const;

 private:
  GpuCalls& calls_;
  int number_;
  int compute_capability_ = 0;
  std::string address_;
  Stream stream_ = nullptr;
  Event begin_ = nullptr, end_ = nullptr;
};

/// Memory of a GPU, or pinned memory of the host.
class DeviceBuffer {
 public:
  enum class Place { device, host };
  DeviceBuffer(const Device& device, std::uint64_t bytes, Place place = Place::device);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  const Device& device_;
  Place place_;
  std::byte* data_ = nullptr;
};

}  // namespace railyard::hw::nccl
