#pragma once

#include <string>

#include "placement/launch/launch_plan.hpp"
#include "placement/launch/launch_program.hpp"

namespace railyard::placement {

/// For SLURM_HOSTFILE with `srun --distribution=arbitrary`: one host per task, in rank order.
[[nodiscard]] std::string slurm_hostfile(const JobHosts& hosts);

/// A batch script that asks for the hosts of the job (sbatch --nodelist) and starts the program
/// once per rank, with the ranks where the mapping has them. It needs no other file. Where Slurm
/// places blocks (topology/block) --nodelist is refused: then leave that line out.
[[nodiscard]] std::string slurm_script(const JobHosts& hosts, const LaunchProgram& program);

}  // namespace railyard::placement
