#include "placement/launch/launch_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/config/names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

// End markers of here-documents in bash. No command contains such a line.
constexpr std::string_view kEndOfFile = "END_OF_RAILYARD_FILE",
                           kEndOfScript = "END_OF_RAILYARD_SCRIPT";

constexpr std::string_view kMegatron = "MEGATRON_ARGS", kTraining = "TRAIN_ARGS",
                           kDeepSpeed = "DEEPSPEED_CONFIG", kTorchTitan = "TORCHTITAN_CONFIG";

/// Lines as a bash array: `NAME=(` and one element per line.
std::string array_of(std::string_view name, const std::string& lines) {
  std::string text = fmt::format("{}=(\n", name);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    text += "  " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text + ")\n";
}

/// Bash that creates a temporary file with this content, and stores its name in the variable
/// `name`.
std::string file_of(std::string_view name, std::string_view suffix, const std::string& content) {
  return fmt::format("{0}=$(mktemp --suffix={1})\ncat > \"${0}\" <<'{2}'\n{3}{2}\n", name, suffix,
                     kEndOfFile, content);
}

// Megatron-LM's training script for a kind of model, in its repository.
std::string_view training_script(const Model& model) {
  if (model.encoder) return "pretrain_t5.py";
  return model.towers.empty() ? "pretrain_gpt.py" : "examples/multimodal/train.py";
}

/// Arguments that no strategy sets. For a GPT Megatron-LM generates tokens (--mock-data) without a
/// tokenizer (megatron/training/tokenizer, NullTokenizer); its other scripts need one.
std::string training_arguments(const Job& job) {
  std::string text = fmt::format("--train-iters {}\n--lr 1e-4\n", training_steps(job));
  if (!job.model.encoder && job.model.towers.empty())
    text += "--mock-data\n--tokenizer-type NullTokenizer\n";
  return text;
}

bool mentions(const std::string& text, std::string_view name) {
  return text.find(name) != std::string::npos;
}

/// CUDA_DEVICE_MAX_CONNECTIONS: with 1, kernels of tensor and context parallelism run in the order
/// of their launches, which Megatron-LM asserts before Blackwell; its FSDP asserts more than 1
/// (megatron/training/arguments.py at 4393d2b). CUDA's default is 8.
std::string megatron_environment(const Strategy& s) {
  if (s.zero >= 2) return "export CUDA_DEVICE_MAX_CONNECTIONS=8\n";
  return s.tp > 1 || s.cp > 1 ? "export CUDA_DEVICE_MAX_CONNECTIONS=1\n" : "";
}

}  // namespace

LaunchProgram launch_program(const Job& job, const Strategy& s, const std::string& command,
                             const std::function<std::string(Framework)>& file) {
  LaunchProgram program{.command = command};
  std::string megatron;
  if (command.empty()) {
    program.command = fmt::format("python {} \"${{{}[@]}}\" \"${{{}[@]}}\"",
                                  training_script(job.model), kMegatron, kTraining);
    try {
      megatron = file(Framework::megatron);
    } catch (const InputError& error) {
      program.command = "TRAIN_COMMAND";
      program.fill_in = {{program.command, "command that each rank runs (--command). " +
                                               error.diagnostics().front().message}};
      return program;
    }
  } else if (mentions(command, kMegatron)) {
    megatron = file(Framework::megatron);
  }
  if (!megatron.empty())
    program.preparation += megatron_environment(s) + array_of(kMegatron, megatron);
  if (mentions(program.command, kTraining)) {
    program.preparation += array_of(kTraining, training_arguments(job));
    const bool is_gpt = !job.model.encoder && job.model.towers.empty();
    program.fill_in.push_back(
        {std::string(kTraining),
         is_gpt ? "data, tokenizer, learning rate, checkpoints (as written: made-up data)"
                : "data and tokenizer (required), learning rate, checkpoints"});
  }
  if (mentions(command, kDeepSpeed))
    program.preparation += file_of(kDeepSpeed, ".json", file(Framework::deepspeed));
  if (mentions(command, kTorchTitan))
    program.preparation += file_of(kTorchTitan, ".toml", file(Framework::torchtitan));
  return program;
}

std::vector<int> local_ranks(const JobHosts& hosts) {
  std::map<std::string, int> seen;
  std::vector<int> local;
  for (const std::string& host : hosts.of_rank) local.push_back(seen[host]++);
  return local;
}

std::vector<std::vector<int>> gpus_of_hosts(const JobHosts& hosts) {
  std::map<std::string, std::size_t> number;
  for (std::size_t h = 0; h < hosts.hosts.size(); ++h) number[hosts.hosts[h]] = h;
  std::vector<std::vector<int>> gpus(hosts.hosts.size());
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r)
    gpus[number.at(hosts.of_rank[r])].push_back(hosts.gpu[r]);
  return gpus;
}

std::string rank_environment(const JobHosts& hosts) {
  std::string text = fmt::format(
      "export RANK=${{OMPI_COMM_WORLD_RANK:-${{SLURM_PROCID:-${{RANK:?is not set}}}}}}\n"
      "export LOCAL_RANK=${{OMPI_COMM_WORLD_LOCAL_RANK:-${{SLURM_LOCALID:-${{LOCAL_RANK:?is not "
      "set}}}}}}\n"
      "export WORLD_SIZE={} MASTER_ADDR={} MASTER_PORT=${{MASTER_PORT:-{}}}\n",
      hosts.of_rank.size(), core::shell_word(hosts.of_rank.front()), kMasterPort);
  const std::vector<std::vector<int>> gpus = gpus_of_hosts(hosts);
  if (std::ranges::all_of(gpus, [&](const auto& of) { return of == gpus.front(); })) {
    text += fmt::format("export LOCAL_WORLD_SIZE={}\n", gpus.front().size());
    if (local_ranks(hosts) != hosts.gpu)
      text += fmt::format("export CUDA_VISIBLE_DEVICES={}\n", fmt::join(gpus.front(), ","));
    return text;
  }
  // Hosts differ: a list of the distinct GPU orders, and the index of each rank's.
  std::vector<std::vector<int>> kinds;
  std::map<std::string, std::size_t> kind_of;
  for (std::size_t h = 0; h < gpus.size(); ++h) {
    const auto found = std::ranges::find(kinds, gpus[h]);
    kind_of[hosts.hosts[h]] = static_cast<std::size_t>(found - kinds.begin());
    if (found == kinds.end()) kinds.push_back(gpus[h]);
  }
  text += "gpus=(";
  for (std::size_t k = 0; k < kinds.size(); ++k)
    text += fmt::format("{}\"{}\"", k == 0 ? "" : " ", fmt::join(kinds[k], ","));
  text += ")  # of each kind of host, in the order of its ranks\nkind_of_rank=(";
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r)
    text += fmt::format("{}{}", r == 0 ? "" : " ", kind_of.at(hosts.of_rank[r]));
  return text +
         ")\n"
         "export CUDA_VISIBLE_DEVICES=${gpus[${kind_of_rank[$RANK]}]}\n"
         "IFS=, read -r -a devices <<< \"$CUDA_VISIBLE_DEVICES\"\n"
         "export LOCAL_WORLD_SIZE=${#devices[@]}\n";
}

std::string hostfile_variable(const JobHosts& hosts, const std::string& name) {
  std::string text = fmt::format(
      "# A host per rank, in rank order: host and number of its consecutive ranks.\n"
      "{0}=$(mktemp)\n"
      "trap 'rm -f \"${0}\"' EXIT\n"
      "while read -r host ranks; do\n"
      "  for ((i = 0; i < ranks; ++i)); do echo \"$host\"; done\n"
      "done > \"${0}\" <<'HOSTS'\n",
      name);
  for (std::size_t r = 0; r < hosts.of_rank.size();) {
    std::size_t end = r;
    while (end < hosts.of_rank.size() && hosts.of_rank[end] == hosts.of_rank[r]) ++end;
    text += fmt::format("{} {}\n", hosts.of_rank[r], end - r);
    r = end;
  }
  return text + "HOSTS\n";
}

std::string rank_script_variable(const std::string& script) {
  return fmt::format(
      "# What every rank runs:\nIFS= read -r -d '' rank_script <<'{0}' || true\n"
      "{1}{2}{0}\n",
      kEndOfScript, script, script.ends_with('\n') ? "" : "\n");
}

}  // namespace railyard::placement
