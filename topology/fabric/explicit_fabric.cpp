#include "topology/fabric/explicit_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>

#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

class ExplicitFabric {
 public:
  explicit ExplicitFabric(ClusterBuilder& builder)
      : builder_(builder), problems_(builder.cluster().spec().file) {}

  void build() {
    add_switches();
    for (std::size_t i = 0; i < builder_.fabric().cables.size(); ++i) add_cable(i);
    problems_.throw_if_any();
  }

 private:
  void add_switches() {
    std::map<int, std::uint32_t> count_of_tier;
    for (std::size_t i = 0; i < builder_.fabric().switches.size(); ++i) {
      const SwitchSpec& spec = builder_.fabric().switches[i];
      const std::string pointer = fmt::format("/fabric/switches/{}", i);
      if (spec.tier < 1 || spec.tier > 3) {
        problems_.add(pointer + "/tier", fmt::format("must be 1, 2 or 3, not {}", spec.tier));
        continue;
      }
      const auto kind = static_cast<DeviceKind>(static_cast<int>(DeviceKind::leaf) + spec.tier - 1);
      const DeviceId added =
          builder_.add_switch({.kind = kind, .index = count_of_tier[spec.tier]++});
      if (!switches_.emplace(spec.name, added).second)
        problems_.add(pointer + "/name", fmt::format("'{}' is listed twice", spec.name));
    }
  }

  /// Finds the NIC named "node3/nic1".
  std::optional<DeviceId> find_nic(const std::string& name) const {
    unsigned node = 0, nic = 0;
    int end = 0;
    if (std::sscanf(name.c_str(), "node%9u/nic%9u%n", &node, &nic, &end) != 2) return {};
    if (static_cast<std::size_t>(end) != name.size()) return {};
    const Cluster& cluster = builder_.cluster();
    if (node >= cluster.node_count()) return {};
    if (static_cast<int>(nic) >= cluster.shape(NodeId(node)).nic_count()) return {};
    return cluster.nic(NodeId(node), static_cast<int>(nic));
  }

  std::optional<DeviceId> find_end(const std::string& name, const std::string& pointer) {
    if (const auto found = switches_.find(name); found != switches_.end()) return found->second;
    if (const auto nic = find_nic(name)) return nic;
    std::vector<std::string_view> names;
    for (const auto& [known, id] : switches_) names.push_back(known);
    problems_.add(pointer, fmt::format("there is no '{}' in this cluster", name),
                  core::did_you_mean(name, names));
    return {};
  }

  void add_cable(std::size_t i) {
    const CableSpec& spec = builder_.fabric().cables[i];
    const std::string pointer = fmt::format("/fabric/cables/{}", i);
    if (spec.count < 1) problems_.add(pointer + "/count", "must be at least 1");
    if (spec.bandwidth <= Bandwidth()) problems_.add(pointer + "/bandwidth", "must be above 0");
    if (spec.latency < Time()) problems_.add(pointer + "/latency", "must not be negative");
    const auto a = find_end(spec.a, pointer + "/a");
    const auto b = find_end(spec.b, pointer + "/b");
    if (!a || !b) return;
    const bool a_is_nic = !is_switch(*a), b_is_nic = !is_switch(*b);
    if (a == b || (a_is_nic && b_is_nic)) {
      problems_.add(pointer, "a cable joins two switches, or a switch and a NIC");
      return;
    }
    const FabricSpec& fabric = builder_.fabric();
    const Time port = a_is_nic || b_is_nic ? fabric.port_latency : Time();
    builder_.connect({.a = *a,
                      .b = *b,
                      .kind = a_is_nic || b_is_nic ? LinkKind::port : LinkKind::fabric,
                      .bandwidth = std::min({spec.bandwidth, rate(*a), rate(*b)}),
                      .a_to_b = spec.latency + port + (a_is_nic ? Time() : fabric.switch_latency),
                      .b_to_a = spec.latency + port + (b_is_nic ? Time() : fabric.switch_latency),
                      .count = spec.count});
  }

  /// The rate of a NIC, which its cables must not exceed. Switches have no such limit.
  Bandwidth rate(DeviceId id) const {
    const Device& device = builder_.cluster().device(id);
    if (is_fabric_switch(device.kind)) return Bandwidth::bits_per_second(INT64_MAX);
    return builder_.cluster().shape(device.node).nic_rate(static_cast<int>(device.index));
  }

  bool is_switch(DeviceId id) const { return is_fabric_switch(builder_.cluster().device(id).kind); }

  ClusterBuilder& builder_;
  Diagnostics problems_;
  std::map<std::string, DeviceId> switches_;
};

}  // namespace

void build_explicit(ClusterBuilder& builder) { ExplicitFabric(builder).build(); }

}  // namespace railyard::topology
