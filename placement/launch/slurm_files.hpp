#pragma once

#include <string>

#include "placement/launch/launch_plan.hpp"
#include "placement/launch/launch_program.hpp"

namespace railyard::placement {

/// A file for SLURM_HOSTFILE with `srun --distribution=arbitrary`: one host per task, in rank
/// order.
[[nodiscard]] std::string slurm_hostfile(const JobHosts& hosts);

/// A batch script that requests the hosts of the job (sbatch --nodelist) and starts the program
/// once per rank, on the mapped hosts. It needs no other file. With block scheduling
/// (topology/block) Slurm refuses --nodelist; delete that line then.
[[nodiscard]] std::string slurm_script(const JobHosts& hosts, const LaunchProgram& program);

}  // namespace railyard::placement
