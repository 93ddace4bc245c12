#pragma once

#include <memory>

#include "core/units.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw::mpi {

/// Initialises MPI and makes a world of MPI_COMM_WORLD; its destructor finalises MPI. Once per
/// process. Throws BackendError if MPI fails, if the launcher did not start this process as a rank
/// (mpirun of another MPI: each process would run alone), or if processes run different builds.
/// `timeout` applies to every call; zero: no limit.
[[nodiscard]] std::unique_ptr<World> open_world(Time timeout);

}  // namespace railyard::hw::mpi
