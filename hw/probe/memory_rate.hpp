#pragma once

#include "hw/probe/describe.hpp"

namespace railyard::hw {

/// How this host moves data between ranks that are threads: measured by moving some, which takes
/// about half a second. The rate is what all `cores` copy together between buffers that no cache
/// holds (32 MiB each), the best of several rounds, so that what else runs on the machine counts
/// little.
[[nodiscard]] MemoryRate measure_memory_rate(int cores);

}  // namespace railyard::hw
