#pragma once

#include <cstdint>

#include "core/units.hpp"

namespace railyard::collectives {

/// A message from one rank to another.
struct Flow {
  std::uint32_t source = 0, destination = 0;
  Bytes bytes;
  Time start;
  std::uint32_t traffic_class = 0;  ///< packet simulation: the queue that it uses at each port
  bool is_read = false;  ///< packet simulation: the destination reads the data (RDMA read);
                         ///< otherwise the source writes it
};

}  // namespace railyard::collectives
