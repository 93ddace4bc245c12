#pragma once

#include "core/units.hpp"

namespace railyard::topology {

/// The host-side cost of launching a collective (configs/launch_modes).
struct LaunchCost {
  Time overhead{};       ///< added to each call
  Time host_per_gpu{};   ///< host time per GPU, if one thread drives all GPUs of a node
  Time host_per_send{};  ///< host time of that thread per send or receive of each GPU
};

}  // namespace railyard::topology
