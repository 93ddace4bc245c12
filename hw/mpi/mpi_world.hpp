#pragma once

#include <memory>

#include "core/units.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw::mpi {

/// Initialises MPI and makes a world of MPI_COMM_WORLD; its end finalises MPI. Once per process.
/// Throws BackendError where MPI fails, where this process is not one of those that the launcher
/// started (another MPI's mpirun: each would run alone), or where processes run different builds.
/// `timeout`: of every call; zero waits for ever.
[[nodiscard]] std::unique_ptr<World> open_world(Time timeout);

}  // namespace railyard::hw::mpi
