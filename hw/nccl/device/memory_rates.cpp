#include <algorithm>

#include "hw/nccl/device/device_rates.hpp"
#include "hw/nccl/device/kernel_checks.hpp"

namespace railyard::hw::nccl {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

/// Limit on pinned memory, which the host cannot use otherwise.
constexpr std::uint64_t kMostPinned = std::uint64_t{256} << 20;
constexpr int kLaunches = 1000;

GpuTestRow rate_row(const Device& device, const char* name, std::uint64_t bytes, Time time) {
  const double seconds = time.seconds();
  return {.gpu = device.number(),
          .test = "memory",
          .name = name,
          .bytes = Bytes(static_cast<std::int64_t>(bytes)),
          .shape = {},
          .time = time,
          .GBps = seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0,
          .first_wrong = {},
          .power_W = {},
          .clock_MHz = {}};
}

}  // namespace

std::vector<GpuTestRow> measure_memory(const Device& device, const GpuTestOptions& options) {
  const auto bytes = static_cast<std::uint64_t>(options.bytes.count()) / 16 * 16;
  const DeviceKernels kernels(device);
  std::vector<GpuTestRow> rows;
  const auto measure = [&](const char* name, std::uint64_t moved, int times, const auto& enqueue) {
    rows.push_back(rate_row(device, name, moved, device.timed(times, enqueue)));
  };
  const DeviceBuffer a(device, bytes);
  const DeviceBuffer b(device, bytes);
  const auto fill = [&](std::byte* at) {
    device.calls().cuda("cudaMemsetAsync", device.calls().libraries().cuda().memset_async, at, 0,
                        std::size_t{bytes}, device.stream());
  };
  fill(b.data());
  const int times = options.iterations;
  measure("fill", bytes, times, [&] { fill(a.data()); });
  measure("copy", 2 * bytes, times, [&] { device.copy(a.data(), b.data(), bytes); });
  measure("add", 3 * bytes, times,
          [&] { kernels.reduce(DataType::float32, ReduceOp::sum, a.data(), b.data(), bytes / 4); });
  measure("launch", 0, kLaunches,
          [&] { kernels.reduce(DataType::float32, ReduceOp::sum, a.data(), b.data(), 0); });
  const std::uint64_t pinned = std::min(bytes, kMostPinned);
  const DeviceBuffer host(device, pinned, DeviceBuffer::Place::host);
  std::fill_n(host.data(), pinned, std::byte{});
  measure("host_to_device", pinned, times, [&] { device.copy(a.data(), host.data(), pinned); });
  measure("device_to_host", pinned, times, [&] { device.copy(host.data(), a.data(), pinned); });
  return rows;
}

}  // namespace railyard::hw::nccl
