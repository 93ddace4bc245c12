#include "hw/probe/nvml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/diagnostic.hpp"
#include "hw/shared_library.hpp"

namespace railyard::hw {
namespace {

// The part of nvml.h (CUDA 13.0) that is used.
using Device = struct DeviceOpaque*;
struct PciPlace {
  char legacy_address[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char address[32];
};
struct Memory {
  unsigned long long total, free, used;
};
constexpr unsigned kMostLinks = 18;  // NVML_NVLINK_MAX_LINKS
constexpr unsigned kEnabled = 1;     // NVML_FEATURE_ENABLED
constexpr int kRemoteIsSwitch = 2;   // NVML_NVLINK_DEVICE_TYPE_SWITCH
constexpr int kRemoteIsGpu = 0;      // NVML_NVLINK_DEVICE_TYPE_GPU

constexpr std::array kNames{"libnvidia-ml.so.1"};

struct Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*pci)(Device, PciPlace*) = nullptr;
  int (*capability)(Device, int*, int*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*link_state)(Device, unsigned, unsigned*) = nullptr;
  int (*link_peer)(Device, unsigned, PciPlace*) = nullptr;
  int (*link_type)(Device, unsigned, int*) = nullptr;
};

Functions load(const SharedLibrary& library) {
  Functions f;
  library.find(f.init, "nvmlInit_v2");
  library.find(f.shutdown, "nvmlShutdown");
  library.find(f.error_string, "nvmlErrorString");
  library.find(f.count, "nvmlDeviceGetCount_v2");
  library.find(f.handle, "nvmlDeviceGetHandleByIndex_v2");
  library.find(f.name, "nvmlDeviceGetName");
  library.find(f.pci, "nvmlDeviceGetPciInfo_v3");
  library.find(f.capability, "nvmlDeviceGetCudaComputeCapability");
  library.find(f.memory, "nvmlDeviceGetMemoryInfo");
  library.find(f.link_state, "nvmlDeviceGetNvLinkState", false);
  library.find(f.link_peer, "nvmlDeviceGetNvLinkRemotePciInfo_v2", false);
  library.find(f.link_type, "nvmlDeviceGetNvLinkRemoteDeviceType", false);
  return f;
}

/// NVML writes "00000000:1B:00.0", sysfs "0000:1b:00.0".
std::string sysfs_address(const PciPlace& place) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", place.domain, place.bus, place.device);
}

class Reader {
 public:
  explicit Reader(const Functions& functions) : f_(functions) {}

  void require(const char* call, int result) const {
    if (result == 0) return;
    throw BackendError(fmt::format("{}: {} ({})", call, f_.error_string(result), result));
  }

  NvmlGpu read(unsigned number) const {
    Device device = nullptr;
    require("nvmlDeviceGetHandleByIndex", f_.handle(number, &device));
    NvmlGpu gpu;
    gpu.number = static_cast<int>(number);
    std::array<char, 96> name{};
    require("nvmlDeviceGetName", f_.name(device, name.data(), name.size()));
    gpu.name = name.data();
    PciPlace place{};
    require("nvmlDeviceGetPciInfo", f_.pci(device, &place));
    gpu.address = sysfs_address(place);
    int major = 0;
    int minor = 0;
    require("nvmlDeviceGetCudaComputeCapability", f_.capability(device, &major, &minor));
    gpu.compute_capability = major * 10 + minor;
    Memory memory{};
    if (f_.memory(device, &memory) == 0)
      gpu.memory = Bytes(static_cast<std::int64_t>(memory.total));
    if (f_.link_state != nullptr && f_.link_peer != nullptr) read_links(device, gpu);
    return gpu;
  }

 private:
  /// Missing or inactive links return an error, which is not a failure.
  void read_links(Device device, NvmlGpu& gpu) const {
    for (unsigned link = 0; link < kMostLinks; ++link) {
      unsigned enabled = 0;
      if (f_.link_state(device, link, &enabled) != 0 || enabled != kEnabled) continue;
      int type = kRemoteIsGpu;
      if (f_.link_type != nullptr && f_.link_type(device, link, &type) != 0) type = kRemoteIsGpu;
      PciPlace place{};
      if (type == kRemoteIsGpu && f_.link_peer(device, link, &place) != 0) continue;
      const std::string peer = type == kRemoteIsSwitch ? "" : sysfs_address(place);
      const auto found = std::ranges::find(gpu.links, peer, &NvmlLinks::peer);
      if (found == gpu.links.end()) {
        gpu.links.push_back({peer, 1});
      } else {
        ++found->count;
      }
    }
  }

  const Functions& f_;
};

}  // namespace

NvmlReport read_nvml(const std::string& folder) {
  NvmlReport report;
  Functions functions;
  try {
    functions = load(SharedLibrary({kNames, "it comes with the NVIDIA driver"}, folder));
  } catch (const BackendError& error) {
    report.absent = error.what();
    return report;
  }
  if (const int result = functions.init(); result != 0) {
    report.absent = fmt::format("nvmlInit: {} ({})", functions.error_string(result), result);
    return report;
  }
  const Reader reader(functions);
  unsigned count = 0;
  reader.require("nvmlDeviceGetCount", functions.count(&count));
  for (unsigned number = 0; number < count; ++number) report.gpus.push_back(reader.read(number));
  (void)functions.shutdown();
  if (count == 0) report.absent = "NVML sees no GPU";
  return report;
}

}  // namespace railyard::hw
