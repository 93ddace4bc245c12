#pragma once

#include <optional>
#include <string>
#include <vector>

namespace railyard::hw {

/// The ranks that a launcher (mpirun, srun, torchrun) started, from environment variables.
struct Launched {
  int rank = 0;
  int ranks = 1;
};
/// Nothing if no launcher started this process.
[[nodiscard]] std::optional<Launched> launched();

/// The words before a program's own, with which mpirun starts it with `ranks` ranks on this
/// machine. Throws BackendError if mpirun is not in PATH.
[[nodiscard]] std::vector<std::string> mpirun_words(int ranks);

/// Runs a program until it ends, and forwards SIGINT and SIGTERM to it. If this process ends, the
/// program ends too. Returns its exit code, or `not_started` if it cannot be started. Throws
/// BackendError if a signal ended it.
[[nodiscard]] int run_program(const std::vector<std::string>& words, int not_started);

}  // namespace railyard::hw
