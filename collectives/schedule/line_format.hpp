#pragma once

#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {

/// Wire bytes per byte of data: LL 2 (4 B of data with a 4 B flag), LL128 128/120 (120 B of data
/// with an 8 B flag), Simple 1. These are the line formats of NCCL's primitives
/// (src/device/prims_ll.h, prims_ll128.h; docs/models/flow.md).
[[nodiscard]] double bytes_per_data_byte(Protocol protocol);

}  // namespace railyard::collectives
