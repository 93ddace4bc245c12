// NVML's calls that `railyard probe` makes: FAKE_GPUS H100 at 1b:00.0, 9b:00.0, ...
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tests/hw/fake_nccl/faults.hpp"

namespace {

struct PciPlace {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char address[32];
};
struct Memory {
  unsigned long long total, free, used;
};
constexpr int kNotFound = 6;
constexpr int kNotSupported = 3;

/// Handles are numbers from 1 on.
unsigned number_of(void* device) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}

void place(unsigned number, PciPlace* at) {
  *at = {};
  at->bus = (0x1b + 0x80 * number) % 0x100 + number / 2;
  std::snprintf(at->address, sizeof at->address, "00000000:%02X:00.0", at->bus);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvmlInit_v2() { return fake::number("FAKE_NVML_ERROR", 0); }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int error) {
  return error == 9 ? "Driver Not Loaded" : "Unknown Error";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(fake::number("FAKE_GPUS", 4));
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void** device) {
  if (const auto result = fake::fault("nvmlDeviceGetHandleByIndex", static_cast<int>(number)))
    return *result;
  *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(number) + 1);
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
  return nvmlDeviceGetHandleByIndex_v2(0, device);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 612500;
  return fake::number("FAKE_POWER_ERROR", 0);
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1755 : 0;
  return 0;
}
int nvmlDeviceGetName(void*, char* name, unsigned size) {
  std::snprintf(name, size, "NVIDIA H100 80GB HBM3");
  return 0;
}
int nvmlDeviceGetPciInfo_v3(void* device, PciPlace* at) {
  place(number_of(device), at);
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  *memory = {80ULL << 30, 80ULL << 30, 0};
  return 0;
}
// Links 0 to 3 lead to the GPU beside (0 and 1, 2 and 3), 4 to an NVSwitch, 5 is down.
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* enabled) {
  if (link > 5) return kNotSupported;
  *enabled = link == 5 ? 0 : 1;
  return 0;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned link, PciPlace* at) {
  if (link > 3) return kNotFound;
  place(number_of(device) ^ 1U, at);
  return 0;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void*, unsigned link, int* type) {
  *type = link == 4 ? 2 : 0;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
