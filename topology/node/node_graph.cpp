#include "topology/node/node_graph.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>

#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::topology {
namespace {

/// A PCIe function or CPU, and the device created for it.
struct Entry {
  const PcieSpec* function = nullptr;
  const NetSpec* net = nullptr;  ///< a NIC port
  std::size_t parent = 0;        ///< index of the parent entry; CPUs are the first entries
  DeviceKind kind{};
  bool is_card = false;
  DeviceId device{};
};

class GraphBuilder {
 public:
  explicit GraphBuilder(const NodeSpec& spec) : spec_(spec) {}

  NodeGraph build() && {
    flatten();
    number_devices();
    add_nvlinks();
    add_c2c();
    add_pcie();
    add_sockets();
    return std::move(graph_);
  }

 private:
  void flatten() {
    for (std::size_t cpu = 0; cpu < spec_.cpus.size(); ++cpu)
      entries_.push_back({.kind = DeviceKind::cpu});
    for (std::size_t cpu = 0; cpu < spec_.cpus.size(); ++cpu)
      for (const PcieSpec& function : spec_.cpus[cpu].pcie) flatten(function, cpu);
  }

  void flatten(const PcieSpec& function, std::size_t parent) {
    const std::size_t self = entries_.size();
    switch (function.kind) {
      case PcieKind::gpu:
        entries_.push_back({.function = &function, .parent = parent, .kind = DeviceKind::gpu});
        break;
      case PcieKind::pcie_switch:
        entries_.push_back(
            {.function = &function, .parent = parent, .kind = DeviceKind::pcie_switch});
        for (const PcieSpec& child : function.children) flatten(child, self);
        break;
      case PcieKind::nic: flatten_nic(function, parent); break;
    }
  }

  void flatten_nic(const PcieSpec& function, std::size_t parent) {
    if (function.nets.size() > 1) {
      const std::size_t card = entries_.size();
      entries_.push_back({.function = &function,
                          .parent = parent,
                          .kind = DeviceKind::pcie_switch,
                          .is_card = true});
      parent = card;
    }
    for (const NetSpec& net : function.nets)
      entries_.push_back(
          {.function = &function, .net = &net, .parent = parent, .kind = DeviceKind::nic});
  }

  /// The entries of a kind; GPUs are sorted by number and NICs by net number.
  std::vector<Entry*> entries_of(DeviceKind kind) {
    std::vector<Entry*> found;
    for (Entry& entry : entries_)
      if (entry.kind == kind) found.push_back(&entry);
    const auto number = [kind](const Entry* entry) {
      if (kind == DeviceKind::gpu) return entry->function->gpu.value_or(0);
      return kind == DeviceKind::nic ? entry->net->dev : 0;
    };
    std::ranges::stable_sort(found, {}, number);
    return found;
  }

  DeviceId add_device(DeviceKind kind, std::size_t index, bool is_card = false) {
    graph_.devices.push_back({.kind = kind, .index = static_cast<std::uint32_t>(index)});
    graph_.is_card.push_back(is_card ? 1 : 0);
    return DeviceId(graph_.devices.size() - 1);
  }

  void number_devices() {
    number_kind(DeviceKind::gpu);
    const bool has_nvswitch =
        std::ranges::any_of(spec_.nvlinks, [](const NvlinkSpec& link) { return !link.peer; });
    if (has_nvswitch) nvswitch_ = add_device(DeviceKind::nvswitch, 0);
    number_kind(DeviceKind::pcie_switch);
    number_kind(DeviceKind::cpu);
    graph_.first_nic = static_cast<std::uint32_t>(graph_.devices.size());
    number_kind(DeviceKind::nic);
  }

  void number_kind(DeviceKind kind) {
    std::size_t index = 0;
    for (Entry* entry : entries_of(kind)) {
      entry->device = add_device(kind, index++, entry->is_card);
      if (kind == DeviceKind::gpu) {
        graph_.gpu_numbers.push_back(entry->function->gpu.value_or(0));
        gpu_devices_[graph_.gpu_numbers.back()] = entry->device;
      }
      if (kind == DeviceKind::nic) {
        graph_.nic_rails.push_back(
            entry->net->rail.value_or(static_cast<int>(graph_.nic_rates.size())));
        graph_.nic_rates.push_back(entry->net->bandwidth);
      }
    }
  }

  /// NCCL's bandwidth of a link, and its physical rate (at least as high).
  struct Rate {
    Bandwidth counted;
    Bandwidth line;
  };

  void connect(DeviceId a, DeviceId b, LinkKind kind, Rate forth, Rate back) {
    const LinkId there(graph_.links.size());
    const LinkId reverse(graph_.links.size() + 1);
    const auto add = [&](DeviceId from, DeviceId to, Rate rate, LinkId other) {
      graph_.links.push_back({.from = from,
                              .to = to,
                              .bandwidth = rate.counted,
                              .latency = {},
                              .kind = kind,
                              .reverse = other,
                              .line_rate = std::max(rate.counted, rate.line)});
    };
    add(a, b, forth, reverse);
    add(b, a, back, there);
  }
  void connect(DeviceId a, DeviceId b, LinkKind kind, Rate rate) {
    connect(a, b, kind, rate, rate);
  }

  /// The rates of one NVLink. If a file gives its own bandwidth, the line rate is scaled in
  /// proportion.
  [[nodiscard]] Rate nvlink_rate() const {
    const Bandwidth counted = spec_.gpu.nvlink_bandwidth;
    const double room = nvlink_line_rate(spec_.gpu.compute_capability).bytes_per_second() /
                        nvlink_bandwidth(spec_.gpu.compute_capability).bytes_per_second();
    return {counted, Bandwidth::from_gigabytes_per_second(counted.gigabytes_per_second() * room)};
  }

  /// An NVLink count that is listed for only one direction applies to both.
  void add_nvlinks() {
    std::map<std::pair<DeviceId, DeviceId>, int> counts;
    for (const NvlinkSpec& link : spec_.nvlinks) {
      const DeviceId from = gpu_devices_.at(link.gpu);
      counts[{from, link.peer ? gpu_devices_.at(*link.peer) : nvswitch_}] += link.count;
    }
    for (const auto& [ends, count] : counts) {
      const auto back = counts.find({ends.second, ends.first});
      // Both directions were added at the first of the two.
      if (back != counts.end() && ends.second < ends.first) continue;
      const Rate one = nvlink_rate();
      const int back_count = back == counts.end() ? count : back->second;
      connect(ends.first, ends.second, LinkKind::nvlink, {one.counted * count, one.line * count},
              {one.counted * back_count, one.line * back_count});
    }
  }

  void add_c2c() {
    for (const C2cSpec& c2c : spec_.c2c) {
      for (std::size_t cpu = 0; cpu < spec_.cpus.size(); ++cpu) {
        if (spec_.cpus[cpu].numa != c2c.numa) continue;
        connect(gpu_devices_.at(c2c.gpu), entries_[cpu].device, LinkKind::c2c,
                {c2c.bandwidth, c2c.bandwidth});
        break;
      }
    }
  }

  void add_pcie() {
    for (std::size_t i = spec_.cpus.size(); i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      connect(entry.device, entries_[entry.parent].device, LinkKind::pcie,
              {pcie_bandwidth(*entry.function), pcie_payload_rate(*entry.function)});
    }
  }

  /// Connects the CPUs of a host with each other, as NCCL does.
  void add_sockets() {
    for (std::size_t a = 0; a < spec_.cpus.size(); ++a) {
      for (std::size_t b = a + 1; b < spec_.cpus.size(); ++b) {
        if (spec_.cpus[a].host_hash != spec_.cpus[b].host_hash) continue;
        const Rate known{socket_bandwidth(spec_.cpus[a]), socket_line_rate(spec_.cpus[a])};
        const auto& own = spec_.socket_bandwidth;
        connect(entries_[a].device, entries_[b].device, LinkKind::socket,
                own ? Rate{*own, *own} : known);
      }
    }
  }

  const NodeSpec& spec_;
  NodeGraph graph_;
  std::vector<Entry> entries_;
  std::map<int, DeviceId> gpu_devices_;
  DeviceId nvswitch_;
};

}  // namespace

NodeGraph build_node_graph(const NodeSpec& spec) { return GraphBuilder(spec).build(); }

}  // namespace railyard::topology
