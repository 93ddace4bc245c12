#include "hw/probe/probe_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "hw/probe/describe.hpp"
#include "hw/probe/memory_rate.hpp"
#include "topology/formats/nccl_xml.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::hw {
namespace {

int cores_of(const Machine& machine) {
  int cores = 0;
  for (const NumaDomain& numa : machine.numas) cores += numa.cores;
  return std::max(cores, 1);
}

/// The transport of a machine's NICs.
std::string transport_of(const Machine& machine) {
  if (std::ranges::any_of(machine.ports, &NicPort::infiniband)) return "infiniband";
  return std::ranges::any_of(machine.ports, &NicPort::verbs) ? "roce" : "tcp";
}

void take_nccl_xml(std::string_view text, const std::string& name, ProbedNode& probed) {
  topology::ImportedNode read = topology::read_nccl_xml(text, name);
  probed.node = std::move(read.node);
  for (std::string& note : read.notes) probed.notes.push_back(std::move(note));
}

/// Describes the node with NCCL. If that fails and is not required: returns false, and adds a note.
bool ask_nccl(const ProbeOptions& options, ProbedNode& probed) {
  if (options.nccl_dump == NcclDump::no) return false;
  std::string problem;
  if (!options.nccl_topology) {
    problem = "railyard-cluster, which has NCCL's backend, was not found beside this program";
  } else {
    try {
      const std::string text = options.nccl_topology();
      const std::string name = probed.node.name;
      take_nccl_xml(text, "NCCL's topology of " + name, probed);
      probed.node.name = name;
      probed.node.source = "railyard probe: NCCL_TOPO_DUMP_FILE";
      return true;
    } catch (const BackendError& error) {
      problem = error.what();
    }
  }
  if (options.nccl_dump == NcclDump::yes) throw BackendError("--nccl-dump yes: " + problem);
  probed.notes.push_back(fmt::format(
      "NCCL could not describe this node; the description is from the driver and sysfs: {}",
      problem));
  return false;
}

/// A cluster of one node, on which to run collectives of its ranks.
topology::Cluster alone(const topology::NodeSpec& node) {
  topology::ClusterSpec spec;
  spec.name = "this host";
  spec.node_specs = {node};
  spec.node_counts = {1};
  return topology::build_cluster(std::move(spec));
}

/// Processes that ran or waited for a core in the last minute, on average (proc(5)); 0: not known.
double load_average() {
  double minute = 0;
  return getloadavg(&minute, 1) == 1 ? minute : 0;
}

/// Ranks on cores, with the given memory rate or a measured one.
void describe_cores(const ProbeOptions& options, const Machine& machine, ProbedNode& probed) {
  const int cores = cores_of(machine);
  const int ranks = options.ranks.value_or(options.processes > 1 ? options.processes : cores);
  MemoryRate rate{.all_cores = {}, .cores = cores};
  double load = 0;
  if (options.memory_rate > Bandwidth()) {
    rate.all_cores = options.memory_rate;
  } else if (ranks == 1) {
    rate = measure_memory_rate(cores);
  } else {
    rate.all_cores = Bandwidth::gigabytes_per_second(1);  // until the measurement below
    const DescribedNode until = describe_host_node(machine, ranks, rate);
    load = load_average();
    probed.timing = measure_host_timing(alone(until.node), machine.cache);
    rate.all_cores = Bandwidth::bits_per_second(probed.timing->rate.bits_per_second() * ranks);
    if (probed.timing->cached_rate)
      probed.memory = topology::HostMemory{machine.cache, *probed.timing->cached_rate};
  }
  DescribedNode node = describe_host_node(machine, ranks, rate);
  probed.node = std::move(node.node);
  for (std::string& note : node.notes) probed.notes.push_back(std::move(note));
  probed.notes.push_back(
      fmt::format("ranks are on cores: {} cores copy {} together, shared equally by {} ranks",
                  cores, core::to_text(rate.all_cores), ranks));
  if (!probed.timing) return;
  probed.notes.push_back(fmt::format(
      "a collective of threads takes {} to launch and {} per step; rounds of the measurement "
      "differed by up to {:.0f} %",
      core::to_text(probed.timing->launch), core::to_text(probed.timing->step),
      100 * probed.timing->spread));
  for (std::string& warning : measurement_warnings(probed.timing->spread, load, cores))
    probed.notes.push_back(std::move(warning));
}

}  // namespace

std::vector<std::string> measurement_warnings(double spread, double load, int cores) {
  std::vector<std::string> found;
  // If more than half of the cores are busy, too few are left for ranks on all of them.
  if (load > 0.5 * cores)
    found.push_back(
        fmt::format("warning: the machine was loaded: a load average of {:.1f} on {} cores before "
                    "the measurement; rates are too low and times too long, probe it again when "
                    "it is idle",
                    load, cores));
  if (spread > 2 * HostTiming::kAgreement)
    found.push_back(
        fmt::format("warning: the measurement did not settle: five rounds differed by {:.0f} %, "
                    "and predictions from this file are as uncertain",
                    100 * spread));
  return found;
}

ProbedNode probe_node(const ProbeOptions& options) {
  Machine machine = read_machine(options.root);
  for (NicPort& port : machine.ports)
    if (port.rate == Bandwidth()) port.rate = options.nic_rate;
  ProbedNode probed;
  probed.transport = transport_of(machine);
  if (!options.nccl_xml.empty()) {
    take_nccl_xml(core::read_text_file(options.nccl_xml), options.nccl_xml, probed);
  } else if (const NvmlReport nvml = read_nvml(options.libraries); !nvml.gpus.empty()) {
    probed.node.name = machine.host.empty() ? "host" : machine.host;
    if (!ask_nccl(options, probed)) {
      DescribedNode node = describe_gpu_node(machine, nvml.gpus);
      probed.node = std::move(node.node);
      for (std::string& note : node.notes) probed.notes.push_back(std::move(note));
    }
  } else {
    if (options.nccl_dump == NcclDump::yes)
      throw BackendError("--nccl-dump yes: this machine has no GPU: " + nvml.absent);
    probed.notes.push_back(fmt::format("no GPU: {}", nvml.absent));
    describe_cores(options, machine, probed);
  }
  if (options.ranks && !topology::is_host_rank(probed.node.gpu))
    throw InputError("", "--ranks", "this machine has GPUs, with one rank on each");
  return probed;
}

}  // namespace railyard::hw
