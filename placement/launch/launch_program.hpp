#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "placement/launch/fill_in.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/launch/launch_plan.hpp"

namespace railyard::placement {

/// The program that every rank of a job runs, independent of the launcher. All text is bash.
struct LaunchProgram {
  std::string name = "railyard-job";
  std::string preparation{};        ///< lines that the command requires: environment, arguments
  std::string command = "COMMAND";  ///< can have several lines
  std::vector<FillIn> fill_in{};    ///< placeholders in preparation and command
};

/// The program that trains `job` with `strategy`. An empty `command` means Megatron-LM's training
/// script. A command may use the arrays MEGATRON_ARGS and TRAIN_ARGS and the files DEEPSPEED_CONFIG
/// and TORCHTITAN_CONFIG. The preparation creates those that the command uses, so that nothing must
/// be copied to the hosts. `file` writes a framework's file, and throws InputError if the framework
/// cannot express the strategy. In that case a command that uses the file throws too, and an empty
/// command becomes a placeholder.
[[nodiscard]] LaunchProgram launch_program(const Job& job, const Strategy& strategy,
                                           const std::string& command,
                                           const std::function<std::string(Framework)>& file);

/// Bash that sets the variables of torch.distributed (RANK, WORLD_SIZE, LOCAL_RANK,
/// LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT) in a process started by mpirun, srun or a shell with
/// RANK and LOCAL_RANK. If the i-th rank of some host does not have GPU i, it also sets
/// CUDA_VISIBLE_DEVICES, so that device LOCAL_RANK is the rank's mapped GPU.
[[nodiscard]] std::string rank_environment(const JobHosts& hosts);

/// Bash that writes one host per rank, in rank order, to a temporary file, and its name to the
/// variable `name`. The file is removed when the shell ends.
[[nodiscard]] std::string hostfile_variable(const JobHosts& hosts, const std::string& name);

/// Bash that stores `script`, with any quotes, in the variable rank_script.
[[nodiscard]] std::string rank_script_variable(const std::string& script);

/// Port of rank 0 unless MASTER_PORT is set: the port in torchrun's documentation.
inline constexpr int kMasterPort = 29500;

/// By rank: number of lower ranks on its host.
[[nodiscard]] std::vector<int> local_ranks(const JobHosts& hosts);

/// By host: the GPUs of its ranks, in rank order.
[[nodiscard]] std::vector<std::vector<int>> gpus_of_hosts(const JobHosts& hosts);

}  // namespace railyard::placement
