#pragma once

#include <string>

#include "placement/launch/launch_plan.hpp"

namespace railyard::placement {

/// For SLURM_HOSTFILE with `srun --distribution=arbitrary`: one host per task, in rank order.
[[nodiscard]] std::string slurm_hostfile(const JobHosts& hosts);

/// A batch script that asks for the hosts of the job (sbatch --nodelist) and starts `command` with
/// the ranks where the mapping has them. `wrapper` is put before the command. Where Slurm places
/// blocks (topology/block) --nodelist is refused: then only the lines from SLURM_HOSTFILE on apply.
[[nodiscard]] std::string slurm_script(const JobHosts& hosts, const std::string& command,
                                       const std::string& hostfile,
                                       const std::string& wrapper = {});

}  // namespace railyard::placement
