#pragma once

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

  /// Three quarters: beyond, what is read has been driven out by what was read after it.
  [[nodiscard]] bool holds(Bytes buffers) const { return buffers.count() <= cache.count() / 4 * 3; }
};

/// That of the (first) node of a cluster file; nothing where the node's GPU file has none. Throws
/// InputError where a file cannot be read.
[[nodiscard]] std::optional<HostMemory> read_host_memory(const std::string& cluster);

}  // namespace railyard::topology
