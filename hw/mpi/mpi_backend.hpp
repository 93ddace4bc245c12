#pragma once

#include "hw/live_backend.hpp"

namespace railyard::hw::mpi {

/// The backend mpi: one rank per process, CPU buffers. Runs schedules by nonblocking point-to-point
/// messages, and MPI's own collectives. Throws BackendError as open_world does.
[[nodiscard]] std::unique_ptr<LiveBackend> open(const LiveOptions& options);

}  // namespace railyard::hw::mpi
