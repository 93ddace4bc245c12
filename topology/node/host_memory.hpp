#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "core/units.hpp"

namespace railyard::topology {

/// The last-level cache of a host whose CPU cores act as ranks (key "host_memory" of the GPU file).
/// A link between a rank and its CPU has the memory bandwidth in the graph; it has `bandwidth`
/// instead if the buffers of all ranks together fit well into the cache.
struct HostMemory {
  Bytes cache{};          ///< size of the last-level caches of all sockets together
  Bandwidth bandwidth{};  ///< from cache, per rank, while all ranks are busy

  /// The weight w, from 0 to 1, in time = w t(cache) + (1 - w) t(memory), where t uses the link
  /// bandwidth of either. `buffers` is the total of all ranks. w is 1 for buffers up to three
  /// quarters of the cache. Of larger buffers the cached fraction is h = 3/4 cache / buffers. The
  /// memory bandwidth was measured with buffers of four times the cache (docs/models/probe.md), so
  /// it already includes a cached fraction of 3/16: w = (h - 3/16) / (1 - 3/16), at least 0.
  [[nodiscard]] double part(Bytes buffers) const {
    if (buffers <= Bytes()) return 1;
    const double h =
        0.75 * static_cast<double>(cache.count()) / static_cast<double>(buffers.count());
    constexpr double kMeasured = 0.75 / 4;
    return std::clamp((h - kMeasured) / (1 - kMeasured), 0.0, 1.0);
  }
};

/// Reads the host memory of the first node of a cluster file; nothing if its GPU file has none.
/// Throws InputError if a file cannot be read.
[[nodiscard]] std::optional<HostMemory> read_host_memory(const std::string& cluster);

}  // namespace railyard::topology
