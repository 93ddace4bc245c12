#include "node_text.hpp"

#include <fmt/format.h>

#include "core/config/text_file.hpp"

namespace railyard::topology {
namespace {

std::string rate_text(Bandwidth rate) {
  return fmt::format("{:g} GB/s", rate.gigabytes_per_second());
}

std::string net_text(const NetSpec& net) {
  std::string text =
      fmt::format("net {} {} {} port {} guid {} latency {} maxconn {}", net.dev, net.name,
                  core::to_text(net.bandwidth), net.port, net.guid.empty() ? "-" : net.guid,
                  core::to_text(net.latency), net.max_connections);
  if (net.gpu_direct) text += " gdr";
  if (net.in_network_reduction) text += " coll";
  if (net.rail) text += fmt::format(" rail {}", *net.rail);
  if (net.plane) text += fmt::format(" plane {}", *net.plane);
  return text;
}

void append_function(std::string& text, const PcieSpec& function, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  text += indent;
  switch (function.kind) {
    case PcieKind::gpu: text += fmt::format("gpu {}", function.gpu.value_or(-1)); break;
    case PcieKind::nic: text += "nic"; break;
    case PcieKind::pcie_switch: text += "switch"; break;
  }
  text += fmt::format(" {} '{}' x{}", function.busid.empty() ? "virtual" : function.busid,
                      function.link_speed, function.link_width);
  for (const std::string& id : {function.class_code, function.vendor, function.device,
                                function.subsystem_vendor, function.subsystem_device})
    if (!id.empty()) text += " " + id;
  if (function.bandwidth) text += " " + rate_text(*function.bandwidth);
  if (function.kind == PcieKind::gpu && !function.gpu_direct) text += " no-gdr";
  text += "\n";
  for (const NetSpec& net : function.nets) text += indent + "  " + net_text(net) + "\n";
  for (const PcieSpec& child : function.children) append_function(text, child, depth + 1);
}

}  // namespace

std::string node_text(const NodeSpec& node) {
  std::string text =
      fmt::format("{} sm {} nvlink {} hosts {}\n", node.gpu.name, node.gpu.compute_capability,
                  rate_text(node.gpu.nvlink_bandwidth), node.hosts);
  for (const CpuSpec& cpu : node.cpus) {
    text +=
        fmt::format("cpu {} {} {} {}/{} {} host {}\n", cpu.numa, cpu.arch, cpu.vendor, cpu.family,
                    cpu.model, cpu.affinity, cpu.host_hash.empty() ? "-" : cpu.host_hash);
    for (const PcieSpec& function : cpu.pcie) append_function(text, function, 1);
  }
  for (const NvlinkSpec& link : node.nvlinks)
    text += fmt::format("nvlink {} -> {} x{}\n", link.gpu,
                        link.peer ? std::to_string(*link.peer) : "switch", link.count);
  for (const C2cSpec& c2c : node.c2c)
    text += fmt::format("c2c {} -> cpu {} {}\n", c2c.gpu, c2c.numa, rate_text(c2c.bandwidth));
  return text;
}

std::string fixture(std::string_view name) {
  return core::read_text_file(
      fmt::format("{}/tests/topology/fixtures/{}", RAILYARD_SOURCE_DIR, name));
}

}  // namespace railyard::topology
