#include "placement/launch/launch_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/config/names.hpp"
#include "core/diagnostic.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/launch/kubernetes_files.hpp"
#include "placement/launch/mpi_files.hpp"
#include "placement/launch/slurm_files.hpp"
#include "topology/cluster/rank_list.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::placement {
namespace {

JobHosts hosts(const LaunchSource& source) {
  return hosts_of(source.mapping, source.cluster, {source.nodes.begin(), source.nodes.end()});
}

/// The switch tree for schedulers, with the user's host names.
topology::SwitchTree switch_tree(const LaunchSource& source) {
  topology::SwitchTree tree = topology::tree_of_cluster(source.cluster);
  constexpr std::size_t kWord = 4;  // "node<i>"
  for (topology::TreeSwitch& below : tree.switches)
    for (std::string& host : below.hosts) host = source.nodes[std::stoul(host.substr(kWord))];
  return tree;
}

std::string framework_text(Framework framework, const LaunchSource& source) {
  if (!has_equal_batches(source.strategy))
    throw InputError(
        "", "batches",
        fmt::format("{} gives every replica the same micro-batches", to_text(framework)),
        "--fix with batches that are equal, or pipelines that are all alike");
  return framework_file(framework, source.job, source.strategy);
}

template <Framework framework>
std::string text_for(const LaunchSource& source) {
  return framework_text(framework, source);
}

template <Framework framework>
std::vector<std::string> notes_of(const LaunchSource& source) {
  return framework_notes(framework, source.job, source.strategy);
}

std::string rankfile(const LaunchSource& source) {
  if (!source.cores_per_host)
    throw InputError("", "--cores", "is needed for a rankfile", "the cores of a host: --cores 96");
  const int gpus = source.types.front().gpus_per_node();
  for (const GpuType& type : source.types)
    if (type.gpus_per_node() != gpus)
      throw InputError("", "--emit", "nodes with different numbers of GPUs share no rankfile",
                       "hostfile, with --map-by of your own");
  return openmpi_rankfile(hosts(source), *source.cores_per_host, gpus);
}

std::string wrapper(const LaunchSource& source) {
  if (auto text = gpu_wrapper(hosts(source))) return *text;
  throw InputError("", "--emit", "no wrapper is needed",
                   "every rank's local number is already that of its GPU");
}

std::string torchrun(const LaunchSource& source) {
  if (auto text = torchrun_nodes(hosts(source))) return *text;
  throw InputError("", "--emit",
                   "torchrun gives consecutive ranks to a node, which this mapping does not",
                   "a launcher that takes a host per rank (slurm, hostfile and rankfile), or no "
                   "--mapping");
}

LaunchProgram program(const LaunchSource& source) {
  LaunchProgram program =
      launch_program(source.job, source.strategy, source.command,
                     [&](Framework framework) { return framework_text(framework, source); });
  program.name = "railyard-" + source.name;
  // Slurm's job name is an unquoted word in the script.
  for (char& c : program.name)
    if (c != '_' && c != '.' && !core::host_name_problem(std::string_view(&c, 1)).empty()) c = '-';
  return program;
}

constexpr std::array kFormats{
    LaunchFormat{"megatron", "megatron_args.txt", "Megatron-LM arguments",
                 text_for<Framework::megatron>, notes_of<Framework::megatron>},
    LaunchFormat{"deepspeed", "deepspeed_config.json", "DeepSpeed configuration",
                 text_for<Framework::deepspeed>, notes_of<Framework::deepspeed>},
    LaunchFormat{"torchtitan", "torchtitan.toml", "TorchTitan configuration",
                 text_for<Framework::torchtitan>, notes_of<Framework::torchtitan>},
    LaunchFormat{"hostfile", "hostfile", "Open MPI hostfile",
                 [](const LaunchSource& s) { return openmpi_hostfile(hosts(s)); }},
    LaunchFormat{"rankfile", "rankfile", "Open MPI rankfile (needs --cores)", rankfile, nullptr,
                 true},
    LaunchFormat{"mpirun", "job.mpirun.sh", "script that starts the job with Open MPI",
                 [](const LaunchSource& s) { return mpirun_script(hosts(s), program(s)); }},
    LaunchFormat{"slurm", "job.sbatch", "Slurm batch script",
                 [](const LaunchSource& s) { return slurm_script(hosts(s), program(s)); }},
    LaunchFormat{"slurm-hostfile", "slurm_hostfile", "a host per rank, for SLURM_HOSTFILE",
                 [](const LaunchSource& s) { return slurm_hostfile(hosts(s)); }},
    LaunchFormat{"slurm-topology", "topology.conf", "Slurm topology of the cluster",
                 [](const LaunchSource& s) { return topology::write_slurm_conf(switch_tree(s)); }},
    LaunchFormat{"slurm-topology-yaml", "topology.yaml", "the same for Slurm 25.05 and later",
                 [](const LaunchSource& s) {
                   return topology::write_slurm_yaml(switch_tree(s), "default");
                 }},
    LaunchFormat{"torchrun", "torchrun_nodes.tsv", "host of each node_rank", torchrun},
    LaunchFormat{
        "kueue", "kueue.yaml", "Kueue topology-aware job",
        [](const LaunchSource& s) { return kueue_yaml(hosts(s), switch_tree(s), program(s)); }},
    LaunchFormat{
        "volcano", "volcano.yaml", "Volcano job with HyperNodes",
        [](const LaunchSource& s) { return volcano_yaml(hosts(s), switch_tree(s), program(s)); }},
    LaunchFormat{
        "ranks", "ranks.txt", "GPUs in rank order, for --ranks",
        [](const LaunchSource& s) { return topology::rank_list_text(s.mapping.gpus) + "\n"; }},
    LaunchFormat{"rank-table", "rank_table.tsv", "host and GPU of each rank",
                 [](const LaunchSource& s) { return rank_table(hosts(s)); }},
    LaunchFormat{"gpu-wrapper", "gpu-of-rank.sh",
                 "sets rank and GPUs for a launcher of your own, where the mapping needs it",
                 wrapper, nullptr, true},
};

}  // namespace

std::span<const LaunchFormat> launch_formats() { return kFormats; }

const LaunchFormat* find_launch_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &LaunchFormat::name);
  return found == kFormats.end() ? nullptr : &*found;
}

std::vector<std::string> read_host_names(const std::string& text, std::size_t nodes,
                                         const std::string& file) {
  Diagnostics problems(file);
  std::vector<std::string> names;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    for (std::string name; words >> name; names.push_back(name)) {
      const std::string problem = core::host_name_problem(name);
      if (!problem.empty())
        problems.add(fmt::format("line {}", number), problem,
                     "names alone, of letters, digits, '-', '_' and '.'");
    }
  }
  problems.throw_if_any();
  if (names.size() != nodes)
    throw InputError(file, "", fmt::format("{} names for {} nodes", names.size(), nodes),
                     "one name per node, in the order of the cluster");
  return names;
}

}  // namespace railyard::placement
