#pragma once

#include <vector>

#include "collectives/formats/nccl_tests_text.hpp"
#include "hw/live_backend.hpp"

namespace railyard::hw {

/// The devices of a backend's ranks, as nccl-tests lists them.
[[nodiscard]] std::vector<collectives::NcclTestsDevice> nccl_tests_devices(LiveBackend& backend);

}  // namespace railyard::hw
