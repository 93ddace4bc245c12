#include "placement/launch/slurm_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/formats/hostlist.hpp"

namespace railyard::placement {

std::string slurm_hostfile(const JobHosts& hosts) {
  std::string text;
  for (const std::string& host : hosts.of_rank) text += host + "\n";
  return text;
}

std::string slurm_script(const JobHosts& hosts, const std::string& command,
                         const std::string& hostfile, const std::string& wrapper) {
  std::vector<std::string> sorted = hosts.hosts;
  std::ranges::sort(sorted, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // node9 before node10
  });
  const int most = *std::ranges::max_element(hosts.ranks_on);
  const bool is_even = std::ranges::all_of(hosts.ranks_on, [&](int n) { return n == most; });
  std::string text = "#!/usr/bin/env bash\n";
  text += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks={}\n", hosts.hosts.size(),
                      hosts.of_rank.size());
  if (is_even) text += fmt::format("#SBATCH --ntasks-per-node={}\n", most);
  text += fmt::format("#SBATCH --gpus-per-node={}\n#SBATCH --nodelist={}\n",
                      *std::ranges::max_element(hosts.gpu) + 1, topology::format_hostlist(sorted));
  text += "# Slurm hands hosts out by name; the file gives them in rank order.\n";
  text += fmt::format("export SLURM_HOSTFILE=\"${{SLURM_SUBMIT_DIR:-.}}/{}\"\n", hostfile);
  text += "export MASTER_ADDR=$(head -n 1 \"$SLURM_HOSTFILE\") MASTER_PORT=${MASTER_PORT:-29500}\n";
  text += fmt::format("srun --distribution=arbitrary --kill-on-bad-exit=1 {}{}{}\n", wrapper,
                      wrapper.empty() ? "" : " ", command);
  return text;
}

}  // namespace railyard::placement
