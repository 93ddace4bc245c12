#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/diagnostic.hpp"
#include "topology/formats/ibnetdiscover.hpp"

namespace railyard::topology {
namespace {

void collect_names(const std::vector<PcieSpec>& functions, std::map<int, std::string>& names) {
  for (const PcieSpec& function : functions) {
    for (const NetSpec& net : function.nets) names[net.dev] = net.name;
    collect_names(function.children, names);
  }
}

/// By port of the host, the NIC of the node: by name where every name is found,
/// else in order.
std::vector<std::size_t> nics_of_ports(const IbHost& host, const std::vector<std::string>& nics) {
  std::vector<std::size_t> numbers;
  for (const IbAdapterPort& port : host.ports) {
    const auto at = std::ranges::find(nics, port.adapter);
    if (at == nics.end() || std::ranges::count(nics, port.adapter) != 1) break;
    const auto number = static_cast<std::size_t>(at - nics.begin());
    if (std::ranges::find(numbers, number) != numbers.end()) break;
    numbers.push_back(number);
  }
  if (numbers.size() == host.ports.size()) return numbers;
  numbers.resize(host.ports.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  return numbers;
}

}  // namespace

ClusterSpec cluster_of_ib_fabric(const IbFabric& fabric, const NodeSpec& node,
                                 const std::string& file, std::vector<std::string>& hosts,
                                 std::vector<std::string>& notes) {
  std::map<int, std::string> by_number;
  for (const CpuSpec& cpu : node.cpus) collect_names(cpu.pcie, by_number);
  std::vector<std::string> nics;
  for (const auto& [number, name] : by_number) nics.push_back(name);

  ClusterSpec cluster;
  cluster.source = "ibnetdiscover";
  cluster.file = file;
  cluster.fabric.kind = FabricKind::explicit_list;
  cluster.fabric.transport = Transport::infiniband;
  cluster.fabric.switches = fabric.switches;
  int count = 0;
  std::string left_out;
  for (const IbHost& host : fabric.hosts) {
    if (host.ports.size() != nics.size()) {
      left_out +=
          fmt::format("{}{} ({})", left_out.empty() ? "" : ", ", host.name, host.ports.size());
      continue;
    }
    const std::vector<std::size_t> numbers = nics_of_ports(host, nics);
    for (std::size_t i = 0; i < host.ports.size(); ++i)
      cluster.fabric.cables.push_back({.a = fmt::format("node{}/nic{}", count, numbers[i]),
                                       .b = host.ports[i].leaf,
                                       .bandwidth = host.ports[i].bandwidth});
    hosts.push_back(host.name);
    ++count;
  }
  if (count == 0)
    throw InputError(file, "",
                     fmt::format("no host has the {} cabled ports of node '{}': {}", nics.size(),
                                 node.name, left_out),
                     "name the node that these hosts are");
  if (!left_out.empty())
    notes.push_back(fmt::format("hosts with other than the node's {} ports, left out: {}",
                                nics.size(), left_out));
  cluster.fabric.cables.insert(cluster.fabric.cables.end(), fabric.cables.begin(),
                               fabric.cables.end());
  cluster.nodes = count;
  cluster.node_specs = {node};
  cluster.node_counts = {count};
  return cluster;
}

}  // namespace railyard::topology
