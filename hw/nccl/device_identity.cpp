#include "hw/nccl/device_identity.hpp"

#include <array>

namespace railyard::hw::nccl {

DeviceIdentity identify_device(GpuCalls& calls, int device) {
  const CudaFunctions& cuda = calls.libraries().cuda();
  int major = 0;
  int minor = 0;
  calls.cuda("cudaDeviceGetAttribute", cuda.device_get_attribute, &major,
             int{kComputeCapabilityMajor}, device);
  calls.cuda("cudaDeviceGetAttribute", cuda.device_get_attribute, &minor,
             int{kComputeCapabilityMinor}, device);
  std::array<char, 32> address{};
  calls.cuda("cudaDeviceGetPCIBusId", cuda.device_get_pci_bus_id, address.data(),
             static_cast<int>(address.size()), device);
  return {.compute_capability = major * 10 + minor, .address = address.data()};
}

}  // namespace railyard::hw::nccl
