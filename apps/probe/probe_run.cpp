#include "apps/probe/probe_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/cli/flag_value.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/output/result_output.hpp"
#include "core/diagnostic.hpp"
#include "hw/probe/host_report.hpp"
#include "hw/probe/nvml.hpp"
#include "hw/probe/probed_cluster.hpp"
#include "hw/world/agreement.hpp"
#include "hw/world/launcher.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/formats/import.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::apps {
namespace {

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

/// The fabric of the flags; without a flag, its transport is that of the NICs.
topology::FabricSpec fabric_of(const ProbeFlags& flags, const std::string& transport,
                               std::vector<std::string>& notes) {
  ImportFabricFlags fabric = flags.fabric;
  if (fabric.transport == "auto") fabric.transport = transport;
  return import_fabric(fabric, notes);
}

/// Writes the node files and the cluster file; only process 0 calls it.
void write_cluster(const ProbeFlags& flags, const std::vector<hw::HostReport>& reports,
                   Context& context) {
  const hw::HostKinds hosts = hw::kinds_of(reports);
  hw::ProbedFabric fabric{.file = flags.fabric_file};
  fabric.fabric = fabric_of(flags, hosts.kinds.front().transport, fabric.notes);
  fabric.nodes = nodes_of(flags, reports.size());
  const hw::NodeFiles nodes = hw::node_files(hosts, flags.output);
  const std::filesystem::path folder = std::filesystem::path(flags.output).parent_path();
  for (const hw::NodeFile& file : nodes.files)
    write_text(file.text, (folder / file.name).string(), context);
  const hw::ProbedCluster probed =
      hw::probed_cluster(reports, hosts, nodes.nodes, fabric, flags.output);
  // Builds the cluster first, so that only a usable cluster file is written.
  const topology::Cluster cluster = hw::built_from_files(probed.cluster, flags.output);
  topology::ImportedTopology written;
  written.cluster = probed.cluster;
  write_text(topology::write_imported(written, flags.output).cluster, flags.output, context);
  for (const std::string& note : probed.notes) print_note(context, note);
  for (const std::string& finding : hosts.findings) print_note(context, finding);
  const bool on_cores = topology::is_host_rank(cluster.spec().node_specs.front().gpu);
  int nics = 0;
  for (std::uint32_t node = 0; node < cluster.node_count(); ++node)
    nics += cluster.shape(NodeId(node)).spec().nic_count();
  print_note(context,
             fmt::format("{}: {} nodes, {} {}, {} NICs", flags.output, cluster.node_count(),
                         cluster.rank_count(), on_cores ? "ranks" : "GPUs", nics));
}

/// Whether railyard-cluster must run this: it connects several processes, and has NCCL.
bool belongs_to_cluster_program(const ProbeFlags& flags, const Context& context) {
  const auto launch = hw::launched();
  if (launch && launch->ranks > 1) return context.open_world == nullptr;
  if (context.nccl_topology != nullptr || flags.nccl_dump == "no" || !flags.nccl_xml.empty())
    return false;
  return flags.nccl_dump == "yes" || !hw::read_nvml(flags.libraries).gpus.empty();
}

Time timeout_of(const ProbeFlags& flags) {
  return flag_value(core::parse_time(flags.timeout), "--timeout");
}

/// The rate in a flag; zero if the flag is not given.
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
    world = std::make_unique<hw::SingleProcessWorld>();
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
    if (world->process() == 0) write_cluster(flags, reports, context);
  });
  return ExitCode::done;
}

}  // namespace railyard::apps
