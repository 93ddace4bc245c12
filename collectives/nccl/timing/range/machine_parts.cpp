#include "collectives/nccl/timing/range/machine_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::collectives::nccl {
namespace {

using topology::NodeSpec;
using topology::PcieKind;
using topology::PcieSpec;

/// The number of NVLinks of GPU 0, and whether they lead to a switch.
MachinePart nvlink_part(const NodeSpec& node, const std::string& generation) {
  int links = 0;
  bool is_switched = false;
  for (const topology::NvlinkSpec& link : node.nvlinks) {
    if (link.gpu == 0 || link.peer == 0) links += link.count;
    is_switched = is_switched || !link.peer;
  }
  const char* form = is_switched ? "switch" : "mesh";
  return {PartKind::nvlink,
          fmt::format("{} x {}, {}, {} GPUs", links, core::to_text(node.gpu.nvlink_bandwidth), form,
                      node.gpu_count()),
          fmt::format("{} {}", generation, form)};
}

/// The slowest PCIe link of a GPU.
Bandwidth pcie_rate(const std::vector<PcieSpec>& functions) {
  Bandwidth slowest;
  for (const PcieSpec& function : functions) {
    const Bandwidth rate = function.kind == PcieKind::gpu ? topology::pcie_bandwidth(function)
                                                          : pcie_rate(function.children);
    if (rate > Bandwidth() && (slowest == Bandwidth() || rate < slowest)) slowest = rate;
  }
  return slowest;
}

MachinePart host_part(const NodeSpec& node) {
  std::vector<PcieSpec> all;
  for (const topology::CpuSpec& cpu : node.cpus)
    all.insert(all.end(), cpu.pcie.begin(), cpu.pcie.end());
  return {PartKind::pcie_host, node.name, fmt::format("{} per GPU", core::to_text(pcie_rate(all)))};
}

void add_nics(const std::vector<PcieSpec>& functions, std::vector<Bandwidth>& nics) {
  for (const PcieSpec& function : functions) {
    for (const topology::NetSpec& net : function.nets) nics.push_back(net.bandwidth);
    add_nics(function.children, nics);
  }
}

MachinePart fabric_part(const NodeSpec& node, const std::string& kind) {
  std::vector<Bandwidth> nics;
  for (const topology::CpuSpec& cpu : node.cpus) add_nics(cpu.pcie, nics);
  const std::string rate = nics.empty() ? "no NIC" : core::to_text(nics.front());
  return {PartKind::fabric, fmt::format("{}, {} x {}", kind, nics.size(), rate), kind};
}

/// Tables that count.
std::size_t count_of(const MeasuredPart& part, const std::string& without) {
  return part.tables.size() - static_cast<std::size_t>(std::ranges::count(part.tables, without));
}

}  // namespace

void add_measured(std::vector<MeasuredPart>& parts, RangeOf of, const MachinePart& part,
                  const std::string& table) {
  auto found = std::ranges::find_if(parts, [&](const MeasuredPart& known) {
    return known.of == of && known.part == part.kind && known.name == part.name &&
           known.family == part.family;
  });
  if (found == parts.end())
    found = parts.insert(
        parts.end(),
        {.of = of, .part = part.kind, .name = part.name, .family = part.family, .tables = {}});
  if (std::ranges::find(found->tables, table) == found->tables.end())
    found->tables.push_back(table);
}

std::vector<MachinePart> machine_parts(const NodeSpec& node, const topology::Timings& timings,
                                       const MachineUse& use) {
  const std::string family = topology::gpu_family(node.gpu.compute_capability, timings.generation);
  std::vector<MachinePart> parts{{PartKind::gpu, node.gpu.name, family}};
  if (node.gpu_count() > 1)
    parts.push_back(use.meets_over_nvlink ? nvlink_part(node, family) : host_part(node));
  if (use.several_nodes) parts.push_back(fabric_part(node, timings.fabric_kind));
  return parts;
}

PartEvidence evidence_for(const MachinePart& part, const std::vector<MeasuredPart>& measured,
                          RangeOf of, const std::string& without) {
  PartEvidence found{.part = part, .evidence = Evidence::nominal, .basis = {}};
  for (const MeasuredPart& known : measured) {
    const std::size_t tables = count_of(known, without);
    if (known.of != of || known.part != part.kind || known.family != part.family || tables == 0)
      continue;
    if (known.name == part.name)
      return {.part = part,
              .evidence = Evidence::measured,
              .basis = fmt::format("{} {}", tables, tables == 1 ? "table" : "tables")};
    if (found.evidence == Evidence::nominal)
      found = {.part = part, .evidence = Evidence::relative, .basis = known.name};
  }
  return found;
}

std::string to_text(const PartEvidence& e) {
  std::string part = fmt::format("{} {}: {}", core::enum_name(e.part.kind), e.part.name,
                                 core::enum_name(e.evidence));
  if (e.evidence == Evidence::measured) return fmt::format("{} ({})", part, e.basis);
  if (e.evidence == Evidence::relative) return fmt::format("{} of {}", part, e.basis);
  return part;
}

}  // namespace railyard::collectives::nccl
