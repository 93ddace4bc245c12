#include "apps/probe/probe_node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "hw/probe/describe.hpp"
#include "hw/probe/memory_rate.hpp"
#include "topology/formats/nccl_xml.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::apps {
namespace {

int cores_of(const hw::Machine& machine) {
  int cores = 0;
  for (const hw::NumaDomain& numa : machine.numas) cores += numa.cores;
  return std::max(cores, 1);
}

Bandwidth rate_of_flag(const std::string& text, const char* flag) {
  const auto parsed = core::parse_bandwidth(text);
  if (!parsed.value || *parsed.value <= Bandwidth())
    throw InputError("", flag, parsed.value ? "must be greater than 0" : parsed.error);
  return *parsed.value;
}

/// The transport that the NICs of a machine speak.
std::string transport_of(const hw::Machine& machine) {
  if (std::ranges::any_of(machine.ports, &hw::NicPort::infiniband)) return "infiniband";
  return std::ranges::any_of(machine.ports, &hw::NicPort::verbs) ? "roce" : "tcp";
}

void take_nccl_xml(std::string_view text, const std::string& name, ProbedNode& probed) {
  topology::ImportedNode read = topology::read_nccl_xml(text, name);
  probed.node = std::move(read.node);
  for (std::string& note : read.notes) probed.notes.push_back(std::move(note));
}

/// NCCL's own view of the node, where it can run; false and a note where it cannot and need not.
bool ask_nccl(const ProbeFlags& flags, const Context& context, ProbedNode& probed) {
  if (flags.nccl_dump == "no") return false;
  std::string problem;
  if (context.nccl_topology == nullptr) {
    problem = "railyard-cluster, which has NCCL's backend, was not found beside this program";
  } else {
    try {
      const std::string text = context.nccl_topology(flags.libraries, timeout_of(flags));
      const std::string name = probed.node.name;
      take_nccl_xml(text, "NCCL's topology of " + name, probed);
      probed.node.name = name;
      probed.node.source = "railyard probe: NCCL_TOPO_DUMP_FILE";
      return true;
    } catch (const BackendError& error) {
      problem = error.what();
    }
  }
  if (flags.nccl_dump == "yes") throw BackendError("--nccl-dump yes: " + problem);
  probed.notes.push_back(fmt::format(
      "NCCL does not describe this node, so that the driver and sysfs do: {}", problem));
  return false;
}

/// A cluster of one node, to run collectives of its ranks on.
topology::Cluster alone(const topology::NodeSpec& node) {
  topology::ClusterSpec spec;
  spec.name = "this host";
  spec.node_specs = {node};
  spec.node_counts = {1};
  return topology::build_cluster(std::move(spec));
}

/// Ranks on cores: what was told, or measured.
void describe_cores(const ProbeFlags& flags, const hw::Machine& machine, int processes,
                    ProbedNode& probed) {
  const int cores = cores_of(machine);
  const int ranks = flags.ranks.value_or(processes > 1 ? processes : cores);
  hw::MemoryRate rate{.all_cores = {}, .cores = cores};
  if (!flags.memory_rate.empty()) {
    rate.all_cores = rate_of_flag(flags.memory_rate, "--memory-rate");
  } else if (ranks == 1) {
    rate = hw::measure_memory_rate(cores);
  } else {
    rate.all_cores = Bandwidth::gigabytes_per_second(1);  // until it is measured
    const hw::DescribedNode until = hw::describe_host_node(machine, ranks, rate);
    probed.timing = hw::measure_host_timing(alone(until.node), machine.cache);
    rate.all_cores = Bandwidth::bits_per_second(probed.timing->rate.bits_per_second() * ranks);
    if (probed.timing->cached_rate)
      probed.memory = topology::HostMemory{machine.cache, *probed.timing->cached_rate};
  }
  hw::DescribedNode node = hw::describe_host_node(machine, ranks, rate);
  probed.node = std::move(node.node);
  for (std::string& note : node.notes) probed.notes.push_back(std::move(note));
  probed.notes.push_back(
      fmt::format("ranks are on cores: {} cores move {} together, a share for each of {} ranks",
                  cores, core::to_text(rate.all_cores), ranks));
  if (!probed.timing) return;
  probed.notes.push_back(fmt::format("a collective of threads starts in {} and takes {} a step",
                                     core::to_text(probed.timing->launch),
                                     core::to_text(probed.timing->step)));
}

}  // namespace

ProbedNode probe_node(const ProbeFlags& flags, int processes, const Context& context) {
  hw::Machine machine = hw::read_machine(flags.root);
  if (!flags.nic_rate.empty()) {
    const Bandwidth told = rate_of_flag(flags.nic_rate, "--nic-rate");
    for (hw::NicPort& port : machine.ports)
      if (port.rate == Bandwidth()) port.rate = told;
  }
  ProbedNode probed;
  probed.transport = transport_of(machine);
  if (!flags.nccl_xml.empty()) {
    take_nccl_xml(core::read_text_file(flags.nccl_xml), flags.nccl_xml, probed);
  } else if (const hw::NvmlReport nvml = hw::read_nvml(flags.libraries); !nvml.gpus.empty()) {
    probed.node.name = machine.host.empty() ? "host" : machine.host;
    if (!ask_nccl(flags, context, probed)) {
      hw::DescribedNode node = hw::describe_gpu_node(machine, nvml.gpus);
      probed.node = std::move(node.node);
      for (std::string& note : node.notes) probed.notes.push_back(std::move(note));
    }
  } else {
    if (flags.nccl_dump == "yes")
      throw BackendError("--nccl-dump yes: there is no GPU for NCCL to describe: " + nvml.absent);
    probed.notes.push_back(fmt::format("no GPU: {}", nvml.absent));
    describe_cores(flags, machine, processes, probed);
  }
  if (flags.ranks && !topology::is_host_rank(probed.node.gpu))
    throw InputError("", "--ranks", "this machine has GPUs, and a rank is on each");
  return probed;
}

}  // namespace railyard::apps
