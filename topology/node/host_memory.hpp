#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "core/units.hpp"

namespace railyard::topology {

/// What ranks on a host's cores get out of its last-level cache (the GPU file's "host_memory"): a
/// link between rank and CPU has the bandwidth of memory, and this one where the buffers of all
/// ranks together are well within the cache.
struct HostMemory {
  Bytes cache{};          ///< last-level caches of all sockets together
  Bandwidth bandwidth{};  ///< of one rank while all are busy

  /// The part of the time, from 0 to 1, that passes as in the cache; the rest passes as in memory.
  /// Buffers up to three quarters of the cache stay there. Of larger ones that much of them does,
  /// h = 3/4 cache / buffers, on top of what it did where memory was measured, at four times the
  /// cache (docs/models/probe.md): (h - 3/16) / (1 - 3/16).
  [[nodiscard]] double part(Bytes buffers) const {
    if (buffers <= Bytes()) return 1;
    const double h =
        0.75 * static_cast<double>(cache.count()) / static_cast<double>(buffers.count());
    constexpr double kMeasured = 0.75 / 4;
    return std::clamp((h - kMeasured) / (1 - kMeasured), 0.0, 1.0);
  }
};

/// That of the (first) node of a cluster file; nothing where the node's GPU file has none. Throws
/// InputError where a file cannot be read.
[[nodiscard]] std::optional<HostMemory> read_host_memory(const std::string& cluster);

}  // namespace railyard::topology
