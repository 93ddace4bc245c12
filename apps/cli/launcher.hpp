#pragma once

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// Whether railyard-cluster is in the folder of this program.
[[nodiscard]] bool cluster_program_is_there();

/// Runs this command line with the railyard-cluster in the folder of this program: directly if a
/// launcher started this process or `by_mpirun` is false, otherwise by mpirun with `ranks` ranks on
/// this machine. Returns the exit code; a code that Railyard does not use (a rank was killed)
/// becomes 3. Throws BackendError if railyard-cluster or mpirun is missing.
[[nodiscard]] int run_cluster_program(int ranks, bool by_mpirun, const Context& context);

}  // namespace railyard::apps
