#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "placement/launch/fill_in.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/launch/launch_plan.hpp"

namespace railyard::placement {

/// What every rank of a job runs, whatever launches it. All text is bash.
struct LaunchProgram {
  std::string name = "railyard-job";
  std::string preparation{};        ///< lines that the command needs: environment, arguments
  std::string command = "COMMAND";  ///< may have several lines
  std::vector<FillIn> fill_in{};    ///< in preparation and command
};

/// The program that trains `job` by `strategy`. An empty `command` is Megatron-LM's training
/// script. MEGATRON_ARGS and TRAIN_ARGS in a command are arrays of arguments, DEEPSPEED_CONFIG and
/// TORCHTITAN_CONFIG are files: the preparation makes those that the command names, so that nothing
/// has to be copied to the hosts. `file` writes a framework's file and throws InputError where it
/// cannot express the strategy: then a command that names that file throws too, and an empty one
/// becomes a place to fill in.
[[nodiscard]] LaunchProgram launch_program(const Job& job, const Strategy& strategy,
                                           const std::string& command,
                                           const std::function<std::string(Framework)>& file);

/// Bash that sets what torch.distributed reads (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE,
/// MASTER_ADDR, MASTER_PORT) for a process that mpirun, srun or a shell with RANK and LOCAL_RANK
/// started, and CUDA_VISIBLE_DEVICES where the i-th rank of a host does not have its GPU i: then
/// device LOCAL_RANK is the GPU that the mapping gives to the rank.
[[nodiscard]] std::string rank_environment(const JobHosts& hosts);

/// Bash that writes a host per rank, in rank order, to a temporary file whose name is in the
/// variable `name`. The file is removed when the shell ends.
[[nodiscard]] std::string hostfile_variable(const JobHosts& hosts, const std::string& name);

/// Bash that keeps `script` in the variable rank_script, whatever quotes it has.
[[nodiscard]] std::string rank_script_variable(const std::string& script);

/// Port of rank 0, where MASTER_PORT does not set another: that of torchrun's documentation.
inline constexpr int kMasterPort = 29500;

/// By rank: how many lower ranks share its host.
[[nodiscard]] std::vector<int> local_ranks(const JobHosts& hosts);

/// By host: the GPUs of its ranks in the order of ranks.
[[nodiscard]] std::vector<std::vector<int>> gpus_of_hosts(const JobHosts& hosts);

}  // namespace railyard::placement
