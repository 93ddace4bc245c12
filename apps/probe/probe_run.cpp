#include "apps/probe/probe_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/cli/launcher.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/output/result_output.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "hw/probe/host_report.hpp"
#include "hw/probe/nvml.hpp"
#include "hw/world/agreement.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/formats/import.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::apps {
namespace {

namespace fs = std::filesystem;

/// Writes the files of a kind of node beside the cluster file; returns the name that the cluster
/// file refers to. `number` is "" if there is a single kind.
std::string write_node(const hw::HostReport& report, const std::string& number,
                       const std::string& output, Context& context) {
  const fs::path folder = fs::path(output).parent_path();
  const std::string stem = fs::path(output).stem().string() + number;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_text(text, (folder / name).string(), context);
    return name;
  };
  if (report.gpu_file.empty()) return write(stem + ".node.xml", report.node_file);
  const std::string gpu = write(stem + ".rank.json", report.gpu_file);
  std::string node = report.node_file;
  if (const std::size_t at = node.find(hw::kGpuFile); at != std::string::npos)
    node.replace(at, hw::kGpuFile.size(), gpu);
  return write(stem + ".node.json", node);
}

/// Hosts of a fabric file that ran no rank, and the other way round.
void compare_hosts(const std::vector<std::string>& listed, const std::vector<std::string>& live,
                   const std::string& file, std::vector<std::string>& notes) {
  if (live.size() < 2) return;
  for (const std::string& host : live) {
    if (std::ranges::find(listed, host) == listed.end())
      notes.push_back(fmt::format("{} does not list host {}, which ran a rank", file, host));
  }
  const bool in_order =
      listed.size() >= live.size() && std::equal(live.begin(), live.end(), listed.begin());
  if (!in_order && !listed.empty())
    notes.push_back(
        fmt::format("nodes 0, 1, ... are the hosts in the order of {}, {} first; a run whose "
                    "hosts are in another order needs a host file with this order",
                    file, listed.front()));
}

/// The cluster of a file that says how hosts are joined.
topology::ClusterSpec joined_by_file(const ProbeFlags& flags, const std::string& node_name,
                                     topology::FabricSpec fabric,
                                     const std::vector<std::string>& hosts,
                                     std::vector<std::string>& notes) {
  const fs::path node = fs::path(flags.output).parent_path() / node_name;
  auto imported = topology::import_topology(
      core::read_text_file(flags.fabric_file), flags.fabric_file,
      {.format = {}, .gpu = {}, .nodes = 1, .fabric = std::move(fabric), .node = node.string()});
  notes.insert(notes.end(), imported.notes.begin(), imported.notes.end());
  compare_hosts(imported.hosts, hosts, flags.fabric_file, notes);
  imported.cluster.node = node_name;
  return std::move(imported.cluster);
}

/// Runs of equal nodes, in the order of hosts.
std::vector<topology::NodeGroup> groups_of(const hw::HostKinds& hosts,
                                           const std::vector<std::string>& names) {
  std::vector<topology::NodeGroup> groups;
  for (const std::size_t kind : hosts.of_host) {
    if (!groups.empty() && groups.back().node == names[kind])
      ++groups.back().count;
    else
      groups.push_back({names[kind], 1});
  }
  return groups;
}

int nodes_of(const ProbeFlags& flags, std::size_t hosts) {
  const int found = static_cast<int>(hosts);
  if (found > 1 && flags.nodes && *flags.nodes != found) {
    throw InputError(
        "", "--nodes",
        fmt::format("{} nodes are requested, but ranks run on {} hosts", *flags.nodes, found),
        "omit --nodes");
  }
  return std::max(found, flags.nodes.value_or(1));
}

/// What software takes on the slowest of the hosts, where it was measured.
void set_overheads(const hw::HostKinds& hosts, topology::ClusterSpec& cluster) {
  const auto slowest = std::ranges::max_element(hosts.kinds, {}, &hw::HostReport::step);
  if (slowest->step == 0 && slowest->launch == 0) return;
  cluster.overheads.simple.launch = Time::picoseconds(slowest->launch);
  cluster.overheads.simple.pcie = Time::picoseconds(slowest->step);
  cluster.overheads.simple.nvlink = Time::picoseconds(slowest->step);
}

/// The fabric's flags, with what the NICs speak where no flag says it.
topology::FabricSpec fabric_of(const ProbeFlags& flags, const std::string& transport,
                               std::vector<std::string>& notes) {
  ImportFabricFlags fabric = flags.fabric;
  if (fabric.transport == "auto") fabric.transport = transport;
  return import_fabric(fabric, notes);
}

/// Writes everything, by process 0.
class ClusterWriter {
 public:
  ClusterWriter(const ProbeFlags& flags, Context& context) : flags_(flags), context_(context) {}

  void write(const std::vector<hw::HostReport>& reports) {
    const hw::HostKinds hosts = hw::kinds_of(reports);
    std::vector<std::string> notes = hosts.kinds.front().notes;
    std::vector<std::string> fabric_notes;
    const topology::FabricSpec fabric =
        fabric_of(flags_, hosts.kinds.front().transport, fabric_notes);
    const int nodes = nodes_of(flags_, reports.size());
    std::vector<std::string> names;
    for (std::size_t kind = 0; kind < hosts.kinds.size(); ++kind) {
      const std::string number = hosts.kinds.size() == 1 ? "" : std::to_string(kind);
      names.push_back(write_node(hosts.kinds[kind], number, flags_.output, context_));
    }
    topology::ClusterSpec spec;
    if (!flags_.fabric_file.empty()) {
      if (names.size() > 1)
        throw InputError(flags_.fabric_file, "",
                         "can only connect equal hosts, but " + hosts.findings.front());
      std::vector<std::string> live;
      for (const hw::HostReport& report : reports) live.push_back(report.host);
      spec = joined_by_file(flags_, names.front(), fabric, live, notes);
    } else {
      spec = joined_by_flags(hosts, names, nodes, fabric);
      spec.name = reports.front().host;
      if (nodes > 1) notes.insert(notes.end(), fabric_notes.begin(), fabric_notes.end());
    }
    spec.file = flags_.output;
    set_overheads(hosts, spec);
    finish(spec, notes, hosts.findings);
  }

 private:
  static topology::ClusterSpec joined_by_flags(const hw::HostKinds& hosts,
                                               const std::vector<std::string>& names, int nodes,
                                               const topology::FabricSpec& fabric) {
    topology::ClusterSpec spec;
    spec.source = hosts.kinds.front().source;
    spec.fabric = fabric;
    if (names.size() == 1) {
      spec.node = names.front();
      spec.nodes = nodes;
    } else {
      spec.groups = groups_of(hosts, names);
    }
    return spec;
  }

  void finish(topology::ClusterSpec spec, const std::vector<std::string>& notes,
              const std::vector<std::string>& findings) {
    topology::ImportedTopology written;
    written.cluster = spec;
    // Built from its nodes' files before it is written: what is there can be used.
    spec.node_specs.clear();
    spec.node_counts.clear();
    if (spec.groups.empty()) spec.groups = {{spec.node, spec.nodes}};
    for (const topology::NodeGroup& group : spec.groups) {
      spec.node_specs.push_back(topology::read_node(group.node, flags_.output));
      spec.node_counts.push_back(group.count);
    }
    const bool on_cores = topology::is_host_rank(spec.node_specs.front().gpu);
    const topology::Cluster cluster = topology::build_cluster(std::move(spec));
    write_text(topology::write_imported(written, flags_.output).cluster, flags_.output, context_);
    for (const std::string& note : notes) print_note(context_, note);
    for (const std::string& finding : findings) print_note(context_, finding);
    int nics = 0;
    for (std::uint32_t node = 0; node < cluster.node_count(); ++node)
      nics += cluster.shape(NodeId(node)).spec().nic_count();
    print_note(context_,
               fmt::format("{}: {} nodes, {} {}, {} NICs", flags_.output, cluster.node_count(),
                           cluster.rank_count(), on_cores ? "ranks" : "GPUs", nics));
  }

  const ProbeFlags& flags_;
  Context& context_;
};

/// Whether railyard-cluster is to run this: it joins several processes, and has NCCL.
bool belongs_to_cluster_program(const ProbeFlags& flags, const Context& context) {
  const auto launch = launched();
  if (launch && launch->ranks > 1) return context.open_world == nullptr;
  if (context.nccl_topology != nullptr || flags.nccl_dump == "no" || !flags.nccl_xml.empty())
    return false;
  return flags.nccl_dump == "yes" || !hw::read_nvml(flags.libraries).gpus.empty();
}

Time timeout_of(const ProbeFlags& flags) {
  const auto timeout = core::parse_time(flags.timeout);
  if (!timeout.value) throw InputError("", "--timeout", timeout.error);
  return *timeout.value;
}

/// A rate of a flag; zero where the flag is not given.
Bandwidth rate_of_flag(const std::string& text, const char* flag) {
  if (text.empty()) return {};
  const auto parsed = core::parse_bandwidth(text);
  if (!parsed.value || *parsed.value <= Bandwidth())
    throw InputError("", flag, parsed.value ? "must be greater than 0" : parsed.error);
  return *parsed.value;
}

hw::ProbeOptions options_of(const ProbeFlags& flags, int processes, const Context& context) {
  hw::ProbeOptions options{.root = flags.root,
                           .nccl_xml = flags.nccl_xml,
                           .libraries = flags.libraries,
                           .nic_rate = rate_of_flag(flags.nic_rate, "--nic-rate"),
                           .memory_rate = rate_of_flag(flags.memory_rate, "--memory-rate"),
                           .ranks = flags.ranks,
                           .processes = processes};
  if (flags.nccl_dump == "yes") options.nccl_dump = hw::NcclDump::yes;
  if (flags.nccl_dump == "no") options.nccl_dump = hw::NcclDump::no;
  if (context.nccl_topology != nullptr)
    options.nccl_topology = [&flags, read = context.nccl_topology] {
      return read(flags.libraries, timeout_of(flags));
    };
  return options;
}

}  // namespace

int run_probe(const ProbeFlags& flags, Context& context) {
  const Time timeout = timeout_of(flags);
  if (belongs_to_cluster_program(flags, context) && cluster_program_is_there())
    return run_cluster_program(1, false, context);
  std::unique_ptr<hw::World> world;
  if (context.open_world != nullptr)
    world = context.open_world(timeout);
  else
    world = std::make_unique<hw::LoneWorld>();
  hw::require_same_command(*world, shell_words(context.arguments));
  const hw::ProbeTurns turns = hw::turns_of(*world);
  std::string report;
  for (int turn = 0; turn < turns.turns; ++turn) {
    hw::set_up_together(*world, [&] {
      if (!turns.describes || turns.turn != turn) return;
      report = packed(hw::report_of(world->places()[world->process()].host,
                                    hw::probe_node(options_of(flags, turns.processes, context))));
    });
  }
  std::vector<hw::HostReport> reports;
  for (const std::string& text : world->gather(report))
    if (!text.empty()) reports.push_back(hw::unpacked(text));
  hw::set_up_together(*world, [&] {
    if (world->process() == 0) ClusterWriter(flags, context).write(reports);
  });
  return ExitCode::done;
}

}  // namespace railyard::apps
