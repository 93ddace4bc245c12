#include "apps/place/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "apps/output/result_output.hpp"
#include "core/config/names.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/launch/kubernetes_files.hpp"
#include "placement/launch/mpi_files.hpp"
#include "placement/launch/slurm_files.hpp"
#include "topology/cluster/rank_list.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::apps {
namespace {

using placement::Framework;
using placement::JobHosts;

/// What the writers of a format work on.
struct Source {
  const Launch& launch;
  std::vector<std::string> names;  ///< of the cluster's nodes
  JobHosts hosts;
};

/// The tree that schedulers see, with the user's names of nodes.
topology::SwitchTree tree_of(const Source& s) {
  topology::SwitchTree tree = topology::tree_of_cluster(s.launch.problem.cluster);
  constexpr std::size_t kWord = 4;  // "node<i>"
  for (topology::TreeSwitch& below : tree.switches)
    for (std::string& host : below.hosts) host = s.names[std::stoul(host.substr(kWord))];
  return tree;
}

template <Framework framework>
std::string framework_text(const Source& s) {
  if (!placement::has_equal_batches(s.launch.strategy))
    throw InputError(
        "", "batches",
        fmt::format("{} gives every replica the same micro-batches", placement::to_text(framework)),
        "--fix with batches that are equal, or pipelines that are all alike");
  return placement::framework_file(framework, s.launch.problem.job, s.launch.strategy);
}

template <Framework framework>
std::vector<std::string> notes_of(const Source& s) {
  return placement::framework_notes(framework, s.launch.problem.job, s.launch.strategy);
}

std::string rankfile(const Source& s) {
  if (!s.launch.request.cores)
    throw InputError("", "--cores", "is needed for a rankfile", "the cores of a host: --cores 96");
  for (const placement::GpuType& type : s.launch.problem.types)
    if (type.gpus_per_node() != s.launch.problem.types.front().gpus_per_node())
      throw InputError("", "--emit", "nodes with different numbers of GPUs share no rankfile",
                       "hostfile, with --map-by of your own");
  return placement::openmpi_rankfile(s.hosts, *s.launch.request.cores,
                                     s.launch.problem.types.front().gpus_per_node());
}

std::string wrapper(const Source& s) {
  if (auto text = placement::gpu_wrapper(s.hosts)) return *text;
  throw InputError("", "--emit", "no wrapper is needed",
                   "every rank's local number is already that of its GPU");
}

std::string torchrun(const Source& s) {
  if (auto text = placement::torchrun_nodes(s.hosts)) return *text;
  throw InputError("", "--emit",
                   "torchrun gives consecutive ranks to a node, which this mapping does not",
                   "a launcher that takes a host per rank (slurm, hostfile and rankfile), or no "
                   "--mapping");
}

placement::LaunchProgram program(const Source& s) {
  placement::LaunchProgram program = placement::launch_program(
      s.launch.problem.job, s.launch.strategy, s.launch.request.command, [&](Framework framework) {
        switch (framework) {
          case Framework::megatron: return framework_text<Framework::megatron>(s);
          case Framework::deepspeed: return framework_text<Framework::deepspeed>(s);
          case Framework::torchtitan: break;
        }
        return framework_text<Framework::torchtitan>(s);
      });
  program.name = "railyard-" + std::filesystem::path(s.launch.request.job).stem().string();
  // Slurm's job name is an unquoted word of the script.
  for (char& c : program.name)
    if (c != '_' && c != '.' && !core::host_name_problem(std::string_view(&c, 1)).empty()) c = '-';
  return program;
}

struct Format {
  std::string_view name, file, what;
  std::string (*write)(const Source&);
  bool is_extra = false;  ///< nobody misses it in a folder
  std::vector<std::string> (*notes)(const Source&) = nullptr;
};

constexpr std::array kFormats{
    Format{"megatron", "megatron_args.txt", "Megatron-LM arguments",
           framework_text<Framework::megatron>, false, notes_of<Framework::megatron>},
    Format{"deepspeed", "deepspeed_config.json", "DeepSpeed configuration",
           framework_text<Framework::deepspeed>, false, notes_of<Framework::deepspeed>},
    Format{"torchtitan", "torchtitan.toml", "TorchTitan configuration",
           framework_text<Framework::torchtitan>, false, notes_of<Framework::torchtitan>},
    Format{"hostfile", "hostfile", "Open MPI hostfile",
           [](const Source& s) { return placement::openmpi_hostfile(s.hosts); }},
    Format{"rankfile", "rankfile", "Open MPI rankfile (needs --cores)", rankfile, true},
    Format{"mpirun", "job.mpirun.sh", "script that starts the job with Open MPI",
           [](const Source& s) { return placement::mpirun_script(s.hosts, program(s)); }},
    Format{"slurm", "job.sbatch", "Slurm batch script",
           [](const Source& s) { return placement::slurm_script(s.hosts, program(s)); }},
    Format{"slurm-hostfile", "slurm_hostfile", "a host per rank, for SLURM_HOSTFILE",
           [](const Source& s) { return placement::slurm_hostfile(s.hosts); }},
    Format{"slurm-topology", "topology.conf", "Slurm topology of the cluster",
           [](const Source& s) { return topology::write_slurm_conf(tree_of(s)); }},
    Format{"slurm-topology-yaml", "topology.yaml", "the same for Slurm 25.05 and later",
           [](const Source& s) { return topology::write_slurm_yaml(tree_of(s), "default"); }},
    Format{"torchrun", "torchrun_nodes.tsv", "host of each node_rank", torchrun},
    Format{"kueue", "kueue.yaml", "Kueue topology-aware job",
           [](const Source& s) { return placement::kueue_yaml(s.hosts, tree_of(s), program(s)); }},
    Format{
        "volcano", "volcano.yaml", "Volcano job with HyperNodes",
        [](const Source& s) { return placement::volcano_yaml(s.hosts, tree_of(s), program(s)); }},
    Format{"ranks", "ranks.txt", "GPUs in rank order, for --ranks",
           [](const Source& s) { return topology::rank_list_text(s.launch.mapping.gpus) + "\n"; }},
    Format{"rank-table", "rank_table.tsv", "host and GPU of each rank",
           [](const Source& s) { return placement::rank_table(s.hosts); }},
    Format{"gpu-wrapper", "gpu-of-rank.sh",
           "sets rank and GPUs for a launcher of your own, where the mapping needs it", wrapper,
           true},
};

const Format* find_format(const std::string& name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : &*found;
}

std::vector<std::string> host_names(const Launch& launch) {
  const std::size_t nodes = launch.problem.cluster.node_count();
  std::vector<std::string> names;
  if (launch.request.hosts.empty()) {
    for (std::size_t n = 0; n < nodes; ++n) names.push_back(fmt::format("node{}", n));
    return names;
  }
  Diagnostics problems(launch.request.hosts);
  std::istringstream lines(core::read_text_file(launch.request.hosts));
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
    throw InputError(launch.request.hosts, "",
                     fmt::format("{} names for {} nodes", names.size(), nodes),
                     "one name per node, in the order of the cluster");
  return names;
}

void print_notes(const Format& format, const Source& s, Context& context) {
  if (format.notes == nullptr) return;
  for (const std::string& note : format.notes(s))
    print_note(context, fmt::format("{}: {}", format.file, note));
}

void write_folder(const Source& s, const std::string& folder, Context& context) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw InputError("", "--emit", fmt::format("cannot make {}: {}", folder, failed.message()),
                     "or one of the formats (railyard place --help)");
  std::string written;
  for (const Format& format : kFormats) {
    std::string text;
    try {
      text = format.write(s);
    } catch (const InputError& error) {
      if (!format.is_extra)
        print_note(context, fmt::format("{} is not written: {}", format.file,
                                        to_text(error.diagnostics().front())));
      continue;
    }
    const std::string file = folder + "/" + std::string(format.file);
    write_text(text, file, context);
    if (format.file.ends_with(".sh")) {
      std::filesystem::permissions(file, std::filesystem::perms::owner_exec,
                                   std::filesystem::perm_options::add);
    }
    print_notes(format, s, context);
    written += fmt::format("{}{}", written.empty() ? "" : ", ", format.file);
  }
  print_note(context, fmt::format("{}: {}", folder, written));
}

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> launch_formats() {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const Format& format : kFormats) names.emplace_back(format.name, format.what);
  return names;
}

bool is_launch_format(const std::string& name) { return find_format(name) != nullptr; }

bool prints_launch_file(const LaunchRequest& request) {
  return std::ranges::any_of(request.targets, is_launch_format);
}

void emit(const Launch& launch, Context& context) {
  if (launch.request.targets.empty()) return;
  Source source{.launch = launch, .names = host_names(launch), .hosts = {}};
  source.hosts = placement::hosts_of(launch.mapping, launch.problem.cluster, source.names);
  for (const std::string& asked : launch.request.targets) {
    if (const Format* format = find_format(asked)) {
      context.out << format->write(source);
      print_notes(*format, source, context);
    } else {
      write_folder(source, asked, context);
    }
  }
}

void write_beside_launch(const ResultDocument& document, const OutputFlags& output,
                         const LaunchRequest& launch, Context& context) {
  const bool prints = prints_launch_file(launch);
  if (!prints || !output.json.empty() || !output.csv.empty())
    write_result(document, output, context, prints ? Table::no : Table::yes);
}

}  // namespace railyard::apps
