#include "hw/probe/nvml_meter.hpp"

#include <fmt/format.h>

#include <array>

#include "core/diagnostic.hpp"
#include "hw/shared_library.hpp"

namespace railyard::hw {
namespace {

using Device = struct MeteredDevice*;
constexpr std::array kNames{"libnvidia-ml.so.1"};
constexpr int kMultiprocessorClock = 1;  // NVML_CLOCK_SM

}  // namespace

// The part of nvml.h (CUDA 13.0) that is used.
struct NvmlMeter::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*handle)(const char*, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;  ///< milliwatts
  int (*clock)(Device, int, unsigned*) = nullptr;
};

NvmlMeter::NvmlMeter(const std::string& folder) {
  auto functions = std::make_unique<Functions>();
  try {
    const SharedLibrary library({kNames, "it comes with the NVIDIA driver"}, folder);
    library.find(functions->init, "nvmlInit_v2");
    library.find(functions->shutdown, "nvmlShutdown");
    library.find(functions->error_string, "nvmlErrorString");
    library.find(functions->handle, "nvmlDeviceGetHandleByPciBusId_v2");
    library.find(functions->name, "nvmlDeviceGetName");
    library.find(functions->power, "nvmlDeviceGetPowerUsage");
    library.find(functions->clock, "nvmlDeviceGetClockInfo");
  } catch (const BackendError& error) {
    absent_ = error.what();
    return;
  }
  if (const int result = functions->init(); result != 0) {
    absent_ = fmt::format("nvmlInit: {} ({})", functions->error_string(result), result);
    return;
  }
  functions_ = std::move(functions);
}

NvmlMeter::~NvmlMeter() {
  if (functions_) (void)functions_->shutdown();
}

std::string NvmlMeter::name(const std::string& address) const {
  Device device = nullptr;
  std::array<char, 96> name{};
  if (!functions_ || functions_->handle(address.c_str(), &device) != 0 ||
      functions_->name(device, name.data(), name.size()) != 0)
    return {};
  return name.data();
}

std::optional<double> NvmlMeter::watts(const std::string& address) const {
  Device device = nullptr;
  unsigned milliwatts = 0;
  if (!functions_ || functions_->handle(address.c_str(), &device) != 0 ||
      functions_->power(device, &milliwatts) != 0)
    return std::nullopt;
  return milliwatts / 1000.0;
}

std::optional<double> NvmlMeter::megahertz(const std::string& address) const {
  Device device = nullptr;
  unsigned clock = 0;
  if (!functions_ || functions_->handle(address.c_str(), &device) != 0 ||
      functions_->clock(device, kMultiprocessorClock, &clock) != 0)
    return std::nullopt;
  return clock;
}

}  // namespace railyard::hw
