#include "placement/launch/mpi_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/diagnostic.hpp"

namespace railyard::placement {
std::string openmpi_hostfile(const JobHosts& hosts) {
  std::string text;
  for (std::size_t h = 0; h < hosts.hosts.size(); ++h)
    text += fmt::format("{} slots={}\n", hosts.hosts[h], hosts.ranks_on[h]);
  return text;
}

std::string openmpi_rankfile(const JobHosts& hosts, int cores_per_host, int gpus_per_host) {
  const int each = gpus_per_host > 0 ? cores_per_host / gpus_per_host : 0;
  if (each < 1) {
    throw InputError("", "cores",
                     fmt::format("{} cores do not do for {} GPUs", cores_per_host, gpus_per_host),
                     "a rankfile gives each rank a core of its own at least");
  }
  std::string text;
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r) {
    const int first = hosts.gpu[r] * each;
    text += each == 1 ? fmt::format("rank {}={} slot={}\n", r, hosts.of_rank[r], first)
                      : fmt::format("rank {}={} slot={}-{}\n", r, hosts.of_rank[r], first,
                                    first + each - 1);
  }
  return text;
}

std::string rank_table(const JobHosts& hosts) {
  const std::vector<int> local = local_ranks(hosts);
  std::string text = "rank\thost\tgpu\tlocal_rank\n";
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r)
    text += fmt::format("{}\t{}\t{}\t{}\n", r, hosts.of_rank[r], hosts.gpu[r], local[r]);
  return text;
}

std::string mpirun_script(const JobHosts& hosts, const LaunchProgram& program) {
  std::string text = "#!/usr/bin/env bash\n";
  std::vector<FillIn> places{{"environment", "modules or a virtual environment of the program"}};
  std::ranges::copy(program.fill_in, std::back_inserter(places));
  text += fill_in_comment(places) + "set -euo pipefail\n\n";
  text += hostfile_variable(hosts, "hostfile") + "\n";
  text += rank_script_variable(rank_environment(hosts) + program.preparation + program.command);
  // The sequential mapper gives rank i the i-th line. The program binds its processes itself.
  text += fmt::format(
      "\nmpirun -np {} --hostfile \"$hostfile\" --map-by seq --bind-to none bash -c "
      "\"$rank_script\"\n",
      hosts.of_rank.size());
  return text;
}

std::optional<std::string> gpu_wrapper(const JobHosts& hosts) {
  if (local_ranks(hosts) == hosts.gpu) return std::nullopt;
  return "#!/usr/bin/env bash\n"
         "# Runs its arguments with the rank, the master and the GPUs of the mapping:\n"
         "#   srun|mpirun ... gpu-of-rank.sh COMMAND...\n" +
         rank_environment(hosts) + "exec \"$@\"\n";
}

std::optional<std::string> torchrun_nodes(const JobHosts& hosts) {
  const auto each = static_cast<std::size_t>(hosts.ranks_on.front());
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r) {
    const std::size_t node = r / each;
    if (node >= hosts.hosts.size() || hosts.of_rank[r] != hosts.hosts[node]) return std::nullopt;
  }
  std::string text = "node_rank\thost\n";
  for (std::size_t h = 0; h < hosts.hosts.size(); ++h) {
    if (static_cast<std::size_t>(hosts.ranks_on[h]) != each) return std::nullopt;
    text += fmt::format("{}\t{}\n", h, hosts.hosts[h]);
  }
  return text;
}

}  // namespace railyard::placement
