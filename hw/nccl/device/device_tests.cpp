#include "hw/nccl/device/device_tests.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <thread>

#include "core/diagnostic.hpp"
#include "hw/nccl/device/device_rates.hpp"
#include "hw/nccl/device/kernel_checks.hpp"
#include "hw/nccl/reduction_kernels.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw::nccl {
namespace {

/// State of the tests, which outlives the thread that waits for them.
struct Attempt {
  explicit Attempt(const GpuTestOptions& what)
      : options(what), libraries(what.libraries), host(own_place().host) {}

  GpuTestOptions options;
  GpuLibraries libraries;
  std::string host;
  std::deque<GpuCalls> calls{};
  std::atomic<const GpuCalls*> active{nullptr};
  std::promise<GpuTests> result{};

  int gpu_count() const {
    const int visible = libraries.device_count();
    if (visible == 0) throw BackendError(fmt::format("host {}: CUDA sees no GPU", host));
    if (options.gpus > visible) {
      throw BackendError(fmt::format("host {}: {} GPUs are requested, and there are {}", host,
                                     options.gpus, visible));
    }
    return options.gpus == 0 ? visible : options.gpus;
  }

  void run() {
    try {
      GpuTests tests;
      const NvmlMeter meter(options.libraries);
      if (!meter.absent().empty())
        tests.notes.push_back("power and clock were not read: " + meter.absent());
      int version = 0;
      if (libraries.cuda().runtime_get_version(&version) == kCudaSuccess)
        tests.facts.emplace_back("cuda", fmt::format("{}.{}", version / 1000, version % 1000 / 10));
      const int count = gpu_count();
      for (int gpu = 0; gpu < count; ++gpu) test(gpu, meter, tests);
      result.set_value(std::move(tests));
    } catch (...) {
      result.set_exception(std::current_exception());
    }
  }

  void test(int gpu, const NvmlMeter& meter, GpuTests& tests) {
    calls.emplace_back(libraries, fmt::format("host {}, GPU {}", host, gpu));
    active = &calls.back();
    const Device device(calls.back(), gpu);
    const std::string name = meter.name(device.address());
    tests.facts.emplace_back(fmt::format("GPU {}", gpu),
                             fmt::format("{}{}sm_{} {}", name, name.empty() ? "" : ", ",
                                         device.compute_capability(), device.address()));
    if (const auto idle = meter.watts(device.address()))
      tests.facts.emplace_back(fmt::format("GPU {} idle", gpu), fmt::format("{:.0f} W", *idle));
    const auto add = [&](std::vector<GpuTestRow> rows) {
      tests.rows.insert(tests.rows.end(), rows.begin(), rows.end());
    };
    if (options.kernels) add(check_kernels(device, options));
    if (options.memory) add(measure_memory(device, options));
    if (options.products) add(measure_products(device, options, meter));
  }
};

}  // namespace

GpuTests test_gpus(const GpuTestOptions& options) {
  const auto attempt = std::make_shared<Attempt>(options);
  std::future<GpuTests> result = attempt->result.get_future();
  std::thread([attempt] { attempt->run(); }).detach();
  if (options.timeout > Time() &&
      result.wait_for(std::chrono::nanoseconds(options.timeout.picoseconds() / 1000)) !=
          std::future_status::ready) {
    const GpuCalls* calls = attempt->active;
    const char* call = calls == nullptr ? nullptr : calls->current();
    throw BackendError(fmt::format(
        "{}: {} did not end within {}", calls == nullptr ? attempt->host : calls->place(),
        call == nullptr ? "the tests" : call, core::to_text(options.timeout)));
  }
  return result.get();
}

std::string compile_for(const std::string& libraries, int compute_capability) {
  return compile_kernels(load_compiler(libraries), compute_capability);
}

}  // namespace railyard::hw::nccl
