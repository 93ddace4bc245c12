#include "topology/formats/ibnetdiscover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "topology/formats/ib_blocks.hpp"

namespace railyard::topology {
namespace {

constexpr int kTiers = 3;  // leaf, spine, core: DeviceKind

/// Compares names with runs of digits as numbers: "mlx5_2" before "mlx5_10".
bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto run = [&digit](std::string_view text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && digit(text[at + 1])) ++at;
        const std::size_t start = at;
        while (at < text.size() && digit(text[at])) ++at;
        return text.substr(start, at - start);
      };
      const std::string_view x = run(a, i), y = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

/// The name in a switch's description: "leaf1" for "MF0;leaf1:MQM8700/U1"; "core1/L03/U1" for the
/// chassis "MF0;core1:CS8500/L03/U1".
std::string switch_name(std::string_view description) {
  if (const std::size_t semicolon = description.find(';'); semicolon != std::string_view::npos)
    description.remove_prefix(semicolon + 1);
  const std::size_t colon = description.find(':');
  std::string name(description.substr(0, colon));
  if (colon != std::string_view::npos) {
    const std::size_t slash = description.find('/', colon);
    if (slash != std::string_view::npos && description.substr(slash) != "/U1")
      name += description.substr(slash);
  }
  std::ranges::replace(name, ' ', '_');
  return name;
}

class Assembly {
 public:
  Assembly(IbBlocks blocks, IbFabric& out) : blocks_(std::move(blocks)), out_(out) {}

  void run() {
    name_switches();
    collect_hosts();
    find_tiers();
    for (const auto& [guid, tier] : tiers_) out_.switches.push_back({names_.at(guid), tier});
    std::ranges::sort(out_.switches, [](const SwitchSpec& a, const SwitchSpec& b) {
      return a.tier != b.tier ? a.tier < b.tier : natural_less(a.name, b.name);
    });
    collect_cables();
    if (blocks_.without_rate > 0)
      out_.notes.push_back(fmt::format(
          "cables left out because they have no rate such as 4xNDR: {}", blocks_.without_rate));
    if (names_.size() > tiers_.size())
      out_.notes.push_back(
          fmt::format("switches left out because no host reaches them within three tiers: {}",
                      names_.size() - tiers_.size()));
  }

 private:
  void name_switches() {
    std::map<std::string, int> uses;
    for (const auto& [guid, device] : blocks_.nodes)
      if (device.kind == IbNodeKind::network_switch) ++uses[switch_name(device.description)];
    for (const auto& [guid, device] : blocks_.nodes) {
      if (device.kind != IbNodeKind::network_switch) continue;
      const std::string name = switch_name(device.description);
      const bool unique = !name.empty() && uses[name] == 1;
      std::string& chosen = names_[guid];
      if (unique)
        chosen = name;
      else
        chosen = name.empty() ? fmt::format("S-{}", guid) : fmt::format("{}-{}", name, guid);
      guids_[chosen] = guid;
    }
  }

  /// Collects hosts. The description of an adapter is "HOST ADAPTER". Adapters inside a switch are
  /// SHARP aggregation nodes and are not hosts.
  void collect_hosts() {
    std::map<std::string, IbHost> hosts;
    int aggregation = 0;
    for (const IbWire& wire : blocks_.wires) {
      for (const auto& [end, other] : {std::pair(wire.a, wire.b), std::pair(wire.b, wire.a)}) {
        const auto device = blocks_.nodes.find(end.guid);
        if (device == blocks_.nodes.end() || device->second.kind != IbNodeKind::adapter) continue;
        if (!names_.contains(other.guid) || wire.bandwidth == Bandwidth()) continue;
        const std::string_view description = device->second.description;
        if (description.find("Aggregation Node") != std::string_view::npos) {
          ++aggregation;
          continue;
        }
        const std::size_t blank = description.find(' ');
        std::string name(description.substr(0, blank));
        if (name.empty()) name = "H-" + end.guid;
        IbHost& host = hosts[name];
        host.name = name;
        const std::string_view adapter =
            blank == std::string_view::npos ? std::string_view() : description.substr(blank + 1);
        host.ports.push_back(
            {std::string(adapter), end.guid, end.port, names_.at(other.guid), wire.bandwidth});
      }
    }
    for (auto& [name, host] : hosts) out_.hosts.push_back(std::move(host));
    std::ranges::sort(out_.hosts, natural_less, &IbHost::name);
    for (IbHost& host : out_.hosts)
      std::ranges::sort(host.ports, [](const IbAdapterPort& a, const IbAdapterPort& b) {
        if (a.adapter != b.adapter) return natural_less(a.adapter, b.adapter);
        return a.guid != b.guid ? a.guid < b.guid : a.port < b.port;
      });
    if (aggregation > 0)
      out_.notes.push_back(
          fmt::format("SHARP aggregation nodes inside switches, left out: {}", aggregation));
  }

  /// Leaves are the switches to which hosts with the most common number of ports connect.
  /// Management and storage hosts have fewer ports and may be cabled to spines.
  void find_tiers() {
    std::map<std::size_t, int> uses;
    for (const IbHost& host : out_.hosts) ++uses[host.ports.size()];
    const auto usual = std::ranges::max_element(
        uses, {}, [](const auto& use) { return std::pair(use.second, use.first); });
    for (const IbHost& host : out_.hosts)
      for (const IbAdapterPort& port : host.ports)
        if (host.ports.size() == usual->first) tiers_[guids_.at(port.leaf)] = 1;
    for (int tier = 1; tier < kTiers; ++tier) {
      for (const IbWire& wire : blocks_.wires) {
        for (const auto& [end, other] : {std::pair(wire.a, wire.b), std::pair(wire.b, wire.a)}) {
          const auto near = tiers_.find(end.guid);
          if (near != tiers_.end() && near->second == tier && names_.contains(other.guid))
            tiers_.try_emplace(other.guid, tier + 1);
        }
      }
    }
  }

  void collect_cables() {
    std::map<std::tuple<std::string, std::string, Bandwidth>, int> counts;
    for (const IbWire& wire : blocks_.wires) {
      const auto a = tiers_.find(wire.a.guid), b = tiers_.find(wire.b.guid);
      if (a == tiers_.end() || b == tiers_.end() || wire.bandwidth == Bandwidth()) continue;
      std::string lower = names_.at(wire.a.guid), upper = names_.at(wire.b.guid);
      if (std::pair(b->second, upper) < std::pair(a->second, lower)) std::swap(lower, upper);
      ++counts[{lower, upper, wire.bandwidth}];
    }
    for (const auto& [key, count] : counts)
      out_.cables.push_back({.a = std::get<0>(key),
                             .b = std::get<1>(key),
                             .bandwidth = std::get<2>(key),
                             .count = count});
    std::ranges::stable_sort(out_.cables, [](const CableSpec& x, const CableSpec& y) {
      return x.a != y.a ? natural_less(x.a, y.a) : natural_less(x.b, y.b);
    });
  }

  IbBlocks blocks_;
  IbFabric& out_;
  std::map<std::string, std::string> names_;  ///< of switches by guid
  std::map<std::string, std::string> guids_;  ///< of switches by name
  std::map<std::string, int> tiers_;
};

}  // namespace

IbFabric read_ibnetdiscover(std::string_view text, const std::string& file) {
  if (static_cast<std::int64_t>(text.size()) > core::kMaxTextFile.count())
    throw InputError(file, "", fmt::format("is larger than {}", core::to_text(core::kMaxTextFile)));
  IbBlocks blocks = read_ib_blocks(text, file);
  IbFabric fabric;
  Assembly(std::move(blocks), fabric).run();
  if (fabric.hosts.empty())
    throw InputError(file, "", "contains no host that is connected to a switch",
                     "hosts are the Ca blocks; ports need a rate such as 4xNDR");
  return fabric;
}

namespace {

void collect_names(const std::vector<PcieSpec>& functions, std::map<int, std::string>& names) {
  for (const PcieSpec& function : functions) {
    for (const NetSpec& net : function.nets) names[net.dev] = net.name;
    collect_names(function.children, names);
  }
}

/// The NIC number of each port of a host: by name if every port has a NIC of its name, otherwise in
/// order.
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
  nics.reserve(by_number.size());
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
                     fmt::format("no host has {} connected ports as node '{}' has: {}", nics.size(),
                                 node.name, left_out),
                     "give the node type of these hosts with --node");
  if (!left_out.empty())
    notes.push_back(
        fmt::format("hosts left out because they do not have the {} ports of the node: {}",
                    nics.size(), left_out));
  cluster.fabric.cables.insert(cluster.fabric.cables.end(), fabric.cables.begin(),
                               fabric.cables.end());
  cluster.nodes = count;
  cluster.node_specs = {node};
  cluster.node_counts = {count};
  return cluster;
}

}  // namespace railyard::topology
