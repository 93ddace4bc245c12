#pragma once

#include <optional>
#include <string>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// What a launcher (mpirun, srun, torchrun) says of this process, by its environment.
struct Launched {
  int rank = 0;
  int ranks = 1;
};
/// Nothing where no launcher started it.
[[nodiscard]] std::optional<Launched> launched();

/// Whether railyard-cluster lies beside this program.
[[nodiscard]] bool cluster_program_is_there();

/// Runs this command line with railyard-cluster, which lies beside this program: as it is where a
/// launcher started this process or `mpirun` is false, else by mpirun as `ranks` ranks on this
/// machine. Returns the exit code; one that is none of ours (a rank was killed) becomes 3.
/// Throws BackendError where railyard-cluster or mpirun is missing, saying how to get it.
[[nodiscard]] int run_cluster_program(int ranks, bool by_mpirun, const Context& context);

}  // namespace railyard::apps
