#include "apps/probe_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "apps/result_output.hpp"
#include "core/diagnostic.hpp"
#include "core/text_file.hpp"
#include "hw/probe/describe.hpp"
#include "hw/probe/memory_rate.hpp"
#include "topology/host_rank.hpp"
#include "topology/import.hpp"
#include "topology/nccl_xml.hpp"
#include "topology/write_node.hpp"

namespace railyard::apps {
namespace {

namespace fs = std::filesystem;

int cores_of(const hw::Machine& machine) {
  int cores = 0;
  for (const hw::NumaDomain& numa : machine.numas) cores += numa.cores;
  return std::max(cores, 1);
}

hw::MemoryRate memory_rate(const ProbeFlags& flags, int cores) {
  if (flags.memory_rate.empty()) return hw::measure_memory_rate(cores);
  const auto parsed = core::parse_bandwidth(flags.memory_rate);
  if (!parsed.value || *parsed.value <= Bandwidth())
    throw InputError("", "--memory-rate", parsed.value ? "must be greater than 0" : parsed.error);
  return {.all_cores = *parsed.value, .cores = cores};
}

/// What is below a machine's fabric: from NCCL's file, from the driver, or the cores.
hw::DescribedNode described(const ProbeFlags& flags, const hw::Machine& machine) {
  if (!flags.nccl_xml.empty()) {
    topology::ImportedNode read =
        topology::read_nccl_xml(core::read_text_file(flags.nccl_xml), flags.nccl_xml);
    return {std::move(read.node), std::move(read.notes)};
  }
  const hw::NvmlReport nvml = hw::read_nvml(flags.libraries);
  if (!nvml.gpus.empty()) return hw::describe_gpu_node(machine, nvml.gpus);
  const int cores = cores_of(machine);
  const int ranks = flags.ranks.value_or(cores);
  const hw::MemoryRate rate = memory_rate(flags, cores);
  hw::DescribedNode node = hw::describe_host_node(machine, ranks, rate);
  node.notes.insert(node.notes.begin(), fmt::format("no GPU: {}", nvml.absent));
  node.notes.push_back(
      fmt::format("ranks are on cores: {} cores copy {} together, a share for each of "
                  "{} ranks",
                  rate.cores, core::to_text(rate.all_cores), ranks));
  return node;
}

/// The transport that the NICs of a machine speak.
std::string transport_of(const hw::Machine& machine) {
  if (std::ranges::any_of(machine.ports, &hw::NicPort::infiniband)) return "infiniband";
  return std::ranges::any_of(machine.ports, &hw::NicPort::verbs) ? "roce" : "tcp";
}

/// Writes the node beside the cluster file; the name that the cluster file has for it.
std::string write_node(const topology::NodeSpec& node, const std::string& output,
                       Context& context) {
  const fs::path folder = fs::path(output).parent_path();
  const std::string stem = fs::path(output).stem().string();
  const auto write = [&](const std::string& name, const std::string& text) {
    write_text(text, (folder / name).string(), context);
    return name;
  };
  if (!topology::is_host_rank(node.gpu))
    return write(stem + ".node.xml", topology::export_nccl_xml(node));
  const std::string gpu = write(stem + ".rank.json", topology::write_gpu_file(node.gpu));
  return write(stem + ".node.json", topology::write_node_file(node, gpu));
}

/// The cluster of a file that says how hosts are joined.
topology::ClusterSpec joined_by_file(const ProbeFlags& flags, const std::string& node_name,
                                     topology::FabricSpec fabric, std::vector<std::string>& notes) {
  const fs::path node = fs::path(flags.output).parent_path() / node_name;
  auto imported = topology::import_topology(
      core::read_text_file(flags.fabric_file), flags.fabric_file,
      {.format = {}, .gpu = {}, .nodes = 1, .fabric = std::move(fabric), .node = node.string()});
  notes.insert(notes.end(), imported.notes.begin(), imported.notes.end());
  imported.cluster.node = node_name;
  return std::move(imported.cluster);
}

topology::ClusterSpec cluster_of(const ProbeFlags& flags, const topology::NodeSpec& node,
                                 const topology::FabricSpec& fabric) {
  topology::ClusterSpec cluster;
  cluster.name = node.name;
  cluster.source = node.source;
  cluster.nodes = flags.nodes;
  cluster.fabric = fabric;
  cluster.node_specs.push_back(node);
  cluster.node_counts.push_back(flags.nodes);
  return cluster;
}

}  // namespace

int run_probe(const ProbeFlags& flags, Context& context) {
  const hw::Machine machine = hw::read_machine(flags.root);
  ImportFabricFlags fabric_flags = flags.fabric;
  if (fabric_flags.transport == "auto") fabric_flags.transport = transport_of(machine);
  std::vector<std::string> fabric_notes;
  const topology::FabricSpec fabric = import_fabric(fabric_flags, fabric_notes);
  hw::DescribedNode found = described(flags, machine);
  if (flags.ranks && !topology::is_host_rank(found.node.gpu))
    throw InputError("", "--ranks", "this machine has GPUs, and a rank is on each");
  const std::string node_name = write_node(found.node, flags.output, context);
  topology::ClusterSpec spec = cluster_of(flags, found.node, fabric);
  spec.node = node_name;
  if (!flags.fabric_file.empty()) {
    spec = joined_by_file(flags, node_name, fabric, found.notes);
  } else if (flags.nodes > 1) {
    found.notes.insert(found.notes.end(), fabric_notes.begin(), fabric_notes.end());
  }
  spec.file = flags.output;
  const topology::Cluster cluster = topology::build_cluster(spec);
  topology::ImportedTopology written;
  written.cluster = spec;
  write_text(topology::write_imported(written, flags.output).cluster, flags.output, context);
  for (const std::string& note : found.notes) print_note(context, note);
  print_note(context, fmt::format("{}: {} nodes, {} {}, {} NICs", flags.output,
                                  cluster.node_count(), cluster.rank_count(),
                                  topology::is_host_rank(found.node.gpu) ? "ranks" : "GPUs",
                                  found.node.nic_count() * static_cast<int>(cluster.node_count())));
  return ExitCode::done;
}

}  // namespace railyard::apps
