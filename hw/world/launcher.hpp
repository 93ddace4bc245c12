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

/// The words before a program that mpirun starts with `ranks` ranks on this machine. Throws
/// BackendError if mpirun is not in PATH.
[[nodiscard]] std::vector<std::string> mpirun_words(int ranks);

/// Runs a program until it ends, and passes SIGINT and SIGTERM on to it; it ends with this process.
/// Returns its exit code, `not_started` where the program cannot be started. Throws BackendError if
/// a signal ended it.
[[nodiscard]] int run_program(const std::vector<std::string>& words, int not_started);

}  // namespace railyard::hw
