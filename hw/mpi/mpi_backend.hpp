#pragma once

#include "hw/live_backend.hpp"

namespace railyard::hw::mpi {

/// Collectives over MPI, a rank per process, on CPU buffers: schedules by nonblocking
/// point-to-point messages, and the library's own. Throws BackendError as open_world does.
[[nodiscard]] std::unique_ptr<LiveBackend> open(const LiveOptions& options);

}  // namespace railyard::hw::mpi
