#include "hw/nccl_tests_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace railyard::hw {

using collectives::NcclTestsDevice;

std::vector<NcclTestsDevice> nccl_tests_devices(LiveBackend& backend) {
  std::vector<NcclTestsDevice> devices;
  const auto facts = backend.facts();
  for (std::uint32_t rank = 0; rank < backend.ranks(); ++rank) {
    const ProcessPlace& process = backend.world().places().at(backend.process_of(rank));
    NcclTestsDevice device{process.host, process.pid, "cpu",
                           fmt::format("CPU rank ({})", backend.name())};
    const auto told = std::ranges::find(facts, fmt::format("rank {}", rank),
                                        [](const auto& fact) { return fact.first; });
    if (told != facts.end()) {
      // "sm_90 0000:1b:00.0"
      const std::size_t space = told->second.find(' ');
      device.name = told->second.substr(0, space);
      if (space != std::string::npos) device.place = told->second.substr(space + 1);
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace railyard::hw
