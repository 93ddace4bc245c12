#include "topology/cluster/device.hpp"

#include <array>

namespace railyard::topology {

std::string_view to_text(DeviceKind kind) {
  constexpr std::array<std::string_view, 8> kNames{"gpu", "nvswitch", "pcie_switch", "cpu",
                                                   "nic", "leaf",     "spine",       "core"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_text(LinkKind kind) {
  constexpr std::array<std::string_view, 6> kNames{"nvlink", "c2c",  "pcie",
                                                   "socket", "port", "fabric"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace railyard::topology
