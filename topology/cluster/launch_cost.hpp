#pragma once

#include "core/units.hpp"

namespace railyard::topology {

/// What launching a collective costs (configs/launch_modes).
struct LaunchCost {
  Time overhead{};       ///< added to each call
  Time host_per_gpu{};   ///< of the thread that drives the GPUs of a node, for each of them
  Time host_per_send{};  ///< the same for each send and each receive of a GPU
};

}  // namespace railyard::topology
