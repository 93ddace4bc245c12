#pragma once

#include <cstdint>

#include "core/units.hpp"

namespace railyard::collectives {

/// A message from one rank to another.
struct Flow {
  std::uint32_t source = 0, destination = 0;
  Bytes bytes;
  Time start;
  std::uint32_t traffic_class = 0;  ///< packet simulation: queue of the ports that it uses
  bool is_read = false;  ///< packet simulation: the destination reads it, else the source writes it
};

}  // namespace railyard::collectives
