#pragma once

#include "hw/probe/describe.hpp"

namespace railyard::hw {

/// The rate at which this host moves data between ranks that are threads: the rate at which all
/// `cores` together copy between buffers outside the caches (32 MiB each). It is the best of
/// several rounds, so that other work on the machine has little effect. Takes about half a second.
[[nodiscard]] MemoryRate measure_memory_rate(int cores);

}  // namespace railyard::hw
