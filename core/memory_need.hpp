#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace railyard::core {

/// Memory of this machine, or of the control group (version 2) that this process is in.
struct MachineMemory {
  std::uint64_t total = 0;
  std::uint64_t available = 0;  ///< available_memory()
};
[[nodiscard]] MachineMemory machine_memory();

/// About how much memory a run takes at its peak.
struct MemoryNeed {
  std::uint64_t bytes = 0;
  std::string run;        ///< "the flow simulation of 4032 transfers"
  std::string flag = {};  ///< that an error points at
  /// What would fit into that part (below 1) of the memory: "512 ranks (--gpus)".
  std::function<std::string(double part)> what_fits = {};
  std::string instead = {};  ///< what takes less: "--fidelity flow"
};

/// Throws InputError with what would fit where a run needs more than is available. Above a tenth of
/// the machine's memory: returns the sentence that is to be printed before the run; else "".
[[nodiscard]] std::string check_memory(const MemoryNeed& need,
                                       const MachineMemory& memory = machine_memory());

}  // namespace railyard::core
