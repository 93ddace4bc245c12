#include "placement/launch/slurm_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/formats/hostlist.hpp"

namespace railyard::placement {
namespace {

/// Placeholders for values that depend on the site rather than on the job.
std::vector<FillIn> slurm_places(const LaunchProgram& program) {
  std::vector<FillIn> places{
      {"#SBATCH --time", "limit of the run (as written: one day)"},
      {"#SBATCH --partition, --account", "add them where the site requires them"},
      {"environment", "modules, a virtual environment or a container of the program"}};
  std::ranges::copy(program.fill_in, std::back_inserter(places));
  return places;
}

}  // namespace

std::string slurm_hostfile(const JobHosts& hosts) {
  std::string text;
  for (const std::string& host : hosts.of_rank) text += host + "\n";
  return text;
}

std::string slurm_script(const JobHosts& hosts, const LaunchProgram& program) {
  std::vector<std::string> sorted = hosts.hosts;
  std::ranges::sort(sorted, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // node9 before node10
  });
  const int most = *std::ranges::max_element(hosts.ranks_on);
  const bool is_even = std::ranges::all_of(hosts.ranks_on, [&](int n) { return n == most; });
  std::string text = "#!/usr/bin/env bash\n";
  text += fmt::format("#SBATCH --job-name={}\n", program.name);
  text += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks={}\n", hosts.hosts.size(),
                      hosts.of_rank.size());
  if (is_even) text += fmt::format("#SBATCH --ntasks-per-node={}\n", most);
  text += fmt::format("#SBATCH --gpus-per-node={}\n#SBATCH --nodelist={}\n",
                      *std::ranges::max_element(hosts.gpu) + 1, topology::format_hostlist(sorted));
  text +=
      "#SBATCH --exclusive\n"
      "#SBATCH --time=1-00:00:00\n"
      "#SBATCH --output=%x-%j.out\n";
  text += fill_in_comment(slurm_places(program)) + "set -euo pipefail\n\n";
  text += "# Slurm orders hosts by name; SLURM_HOSTFILE gives them in rank order.\n";
  text += hostfile_variable(hosts, "SLURM_HOSTFILE") + "export SLURM_HOSTFILE\n\n";
  text += rank_script_variable(rank_environment(hosts) + program.preparation + program.command);
  // Without --cpu-bind=none Slurm may bound each task, with its data loaders, to one core.
  text +=
      "\nsrun --distribution=arbitrary --cpu-bind=none --kill-on-bad-exit=1 bash -c "
      "\"$rank_script\"\n";
  return text;
}

}  // namespace railyard::placement
