#pragma once

#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {

/// Bytes on a link per byte of data: LL 2 (4 B of data with 4 B of flag), LL128 128/120 (120 B with
/// 8 B), Simple 1: the line formats of NCCL's primitives (src/device/prims_ll.h, prims_ll128.h;
/// docs/models/flow.md).
[[nodiscard]] double bytes_per_data_byte(Protocol protocol);

}  // namespace railyard::collectives
