#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace railyard::core {

/// Memory in bytes of this machine, or of this process's control group (cgroup v2).
struct MachineMemory {
  std::uint64_t total = 0;
  std::uint64_t available = 0;  ///< available_memory()
};
[[nodiscard]] MachineMemory machine_memory();

/// The estimated peak memory of a run, and the texts for the error if it does not fit.
struct MemoryNeed {
  std::uint64_t bytes = 0;
  std::string run;        ///< "the flow simulation of 4032 transfers"
  std::string flag = {};  ///< the flag that the error names
  /// Describes a run that would fit into this fraction of `bytes`: "512 ranks (--gpus)".
  std::function<std::string(double part)> what_fits = {};
  std::string instead = {};  ///< an alternative that needs less memory: "--fidelity flow"
};

/// Checks that a run fits into the available memory. Throws InputError, with what would fit, if it
/// does not. Returns a sentence to print before the run if it needs more than a tenth of the
/// machine's memory; otherwise "".
[[nodiscard]] std::string check_memory(const MemoryNeed& need,
                                       const MachineMemory& memory = machine_memory());

}  // namespace railyard::core
