#include "placement/launch/mpi_files.hpp"

#include <fmt/format.h>

#include <map>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

/// By rank: how many lower ranks share its host.
std::vector<int> local_numbers(const JobHosts& hosts) {
  std::map<std::string, int> seen;
  std::vector<int> local;
  for (const std::string& host : hosts.of_rank) local.push_back(seen[host]++);
  return local;
}

}  // namespace

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
  const std::vector<int> local = local_numbers(hosts);
  std::string text = "rank\thost\tgpu\tlocal_rank\n";
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r)
    text += fmt::format("{}\t{}\t{}\t{}\n", r, hosts.of_rank[r], hosts.gpu[r], local[r]);
  return text;
}

std::optional<std::string> gpu_wrapper(const JobHosts& hosts) {
  if (local_numbers(hosts) == hosts.gpu) return std::nullopt;
  std::string gpus;
  for (const int gpu : hosts.gpu) gpus += fmt::format("{}{}", gpus.empty() ? "" : " ", gpu);
  return fmt::format(
      "#!/usr/bin/env bash\n"
      "# Runs its arguments with the GPU of this rank: srun|mpirun ... gpu-of-rank.sh COMMAND...\n"
      "rank=${{SLURM_PROCID:-${{OMPI_COMM_WORLD_RANK:-${{RANK:?no rank in the environment}}}}}}\n"
      "gpus=({})\n"
      "export CUDA_VISIBLE_DEVICES=${{gpus[$rank]}}\n"
      "exec \"$@\"\n",
      gpus);
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
