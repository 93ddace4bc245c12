#pragma once

#include <memory>

#include "hw/live_backend.hpp"
#include "hw/mpi/communicator.hpp"
#include "hw/world/call_watchdog.hpp"

namespace railyard::hw::mpi {

/// MPI's own collective: MPI_Allreduce, MPI_Allgather, MPI_Reduce_scatter_block, MPI_Bcast,
/// MPI_Reduce, MPI_Alltoall, or MPI_Sendrecv around the ranks; in place as MPI defines it
/// (MPI_IN_PLACE, MPI_Sendrecv_replace).
[[nodiscard]] std::unique_ptr<LiveRun> native_run(Communicator& communicator, MPI_Comm comm,
                                                  const LiveTask& task, const World& world,
                                                  CallWatchdog& watchdog);

/// Why MPI cannot perform the collective in one call; empty if it can.
[[nodiscard]] std::string why_not_native(const collectives::Collective& collective);

}  // namespace railyard::hw::mpi
