#include "collectives/nccl/graph/net_fusion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "collectives/nccl/graph/fused_links.hpp"
#include "collectives/nccl/graph/net_places.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::collectives::nccl {
namespace {

using topology::NetSpec;
using topology::NodeSpec;
using topology::PcieSpec;

// NCCL_NET_MAX_DEVS_PER_NIC: src/include/plugin/net/net_v12.h of 2.30.7, net_v11.h of 2.28.9.
constexpr std::size_t kMost = 8, kMostOf228 = 4;
constexpr std::string_view kForce = "--env NCCL_NET_FORCE_MERGE";

/// The texts between separators.
std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end > start) found.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return found;
}

std::size_t most(const SearchEnvironment& environment) {
  return environment.version == Version::v2_28 ? kMostOf228 : kMost;
}

/// Whether NCCL can fuse a net into a virtual NIC. Sockets (named by systemd.net-naming-scheme, or
/// eth0, bond0, ib0) and EFA devices (rdmap*) are not fused, because their NCCL plugins do not
/// support virtual NICs (src/transport/net_socket.cc; aws-ofi-nccl joins the EFAs of a GPU by
/// itself).
bool can_fuse(const NodeSpec& node, const NetPlace& place) {
  const NetSpec& net = net_at(node, place);
  if (function_at(node, place, place.way.size()).bandwidth == topology::virtual_nic_bandwidth())
    return false;
  constexpr std::array<std::string_view, 7> kOthers{"eth",  "en",    "bond", "team",
                                                    "veth", "rdmap", "efa"};
  if (std::ranges::any_of(kOthers, [&](auto start) { return net.name.starts_with(start); }))
    return false;
  return !(net.name.starts_with("ib") && net.name.size() > 2 &&
           net.name.find_first_not_of("0123456789", 2) == std::string::npos);
}

class FusionPlan {
 public:
  FusionPlan(const NodeSpec& node, const SearchEnvironment& environment)
      : node_(node), environment_(environment), places_(net_places(node)), problems_("") {
    placed_.assign(places_.size(), false);
    if (!places_.empty()) next_ = net_at(node, places_.back()).dev + 1;
  }

  std::vector<FusedNet> make() && {
    force();
    if (environment_.merge_nics)
      for (std::size_t i = 0; i < places_.size(); ++i) gather(i);
    problems_.throw_if_any();
    return std::move(fused_);
  }

 private:
  [[nodiscard]] const NetSpec& net(std::size_t i) const { return net_at(node_, places_[i]); }

  void force() {
    for (const std::string_view group : parts(environment_.force_merge, ';')) {
      std::vector<std::size_t> members;
      const auto names = parts(group, ',');
      for (std::size_t i = 0; i < places_.size(); ++i)
        if (is_named(net(i), names)) members.push_back(i);
      if (members.size() != names.size())
        problems_.add(std::string(kForce),
                      fmt::format("'{}' names {} NICs, of which the node has {}", group,
                                  names.size(), members.size()),
                      fmt::format("its NICs: {}", fmt::join(names_of_nets(), ", ")));
      else if (const std::string why = why_not(members); !why.empty())
        problems_.add(std::string(kForce), fmt::format("'{}' cannot be fused: {}", group, why));
      else
        fuse(members);
    }
  }

  /// "name" is every port of it, "name:port" one.
  static bool is_named(const NetSpec& net, std::span<const std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      return name == net.name || name == fmt::format("{}:{}", net.name, net.port);
    });
  }

  [[nodiscard]] std::vector<std::string> names_of_nets() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < places_.size(); ++i) names.push_back(net(i).name);
    return names;
  }

  [[nodiscard]] std::string why_not(std::span<const std::size_t> members) const {
    if (!environment_.merge_nics) return "NCCL_IB_MERGE_NICS=0";
    if (members.size() > most(environment_))
      return fmt::format("NCCL fuses up to {} NICs", most(environment_));
    for (const std::size_t i : members) {
      if (placed_[i]) return fmt::format("{} is named twice", net(i).name);
      if (!can_fuse(node_, places_[i]))
        return fmt::format("{} belongs to a network plugin without NIC fusion", net(i).name);
    }
    const PathType type = distance(members).type;
    if (type >= PathType::sys) return "the NICs are in different NUMA domains";
    return {};
  }

  [[nodiscard]] NetDistance distance(std::span<const std::size_t> members) const {
    std::vector<NetPlace> places;
    for (const std::size_t i : members) places.push_back(places_[i]);
    return distance_between(node_, places);
  }

  [[nodiscard]] bool is_near(std::size_t i, std::size_t j) const {
    const std::array both{i, j};
    if (distance(both).type > environment_.merge_level) return false;
    return !environment_.merge_by_rail || environment_.version == Version::v2_28 ||
           (net(i).rail && net(i).rail == net(j).rail);
  }

  void gather(std::size_t i) {
    if (placed_[i] || !can_fuse(node_, places_[i])) return;
    std::vector<std::size_t> members{i};
    for (std::size_t j = 0; j < places_.size() && members.size() < most(environment_); ++j)
      if (j != i && !placed_[j] && can_fuse(node_, places_[j]) && is_near(i, j))
        members.push_back(j);
    if (members.size() == 1) return;
    if (distance(members).type >= PathType::sys)
      problems_.add(
          "--env NCCL_NET_MERGE_LEVEL",
          fmt::format("{} and {} are in different NUMA domains, and NCCL cannot fuse them",
                      net(i).name, net(members.back()).name),
          "PHB is the farthest level that works");
    fuse(members);
  }

  void fuse(std::span<const std::size_t> members) {
    FusedNet fused{.dev = next_++, .name = {}, .members = {}};
    for (const std::size_t i : members) {
      placed_[i] = true;
      fused.name += (fused.name.empty() ? "" : "+") + net(i).name;
      fused.members.push_back(net(i).dev);
    }
    fused_.push_back(std::move(fused));
  }

  const NodeSpec& node_;
  const SearchEnvironment& environment_;
  std::vector<NetPlace> places_;
  Diagnostics problems_;
  std::vector<bool> placed_;
  int next_ = 0;
  std::vector<FusedNet> fused_;
};

std::vector<NetPlace> members_of(const NodeSpec& node, const FusedNet& fused) {
  std::vector<NetPlace> members;
  for (const int dev : fused.members)
    for (const NetPlace& place : net_places(node))
      if (net_at(node, place).dev == dev) members.push_back(place);
  return members;
}

/// The properties that the network plugin reports for the virtual NIC: attributes of the first net,
/// sum of the rates.
NetSpec virtual_net(const NodeSpec& node, const FusedNet& fused,
                    std::span<const NetPlace> members) {
  NetSpec net = net_at(node, members.front());
  net.dev = fused.dev;
  net.name = fused.name;
  // NCCL writes the plugin's latency in whole microseconds (ncclTopoPopulateNics).
  net.latency = Time::microseconds(static_cast<std::int64_t>(net.latency.microseconds()));
  for (const NetPlace& other : members.subspan(1)) {
    const NetSpec& port = net_at(node, other);
    net.bandwidth += port.bandwidth;
    net.gpu_direct = net.gpu_direct && port.gpu_direct;
    net.in_network_reduction = net.in_network_reduction && port.in_network_reduction;
  }
  return net;
}

void remove_nets(std::vector<PcieSpec>& functions, const std::set<int>& devs) {
  for (PcieSpec& function : functions) {
    std::erase_if(function.nets, [&](const NetSpec& net) { return devs.contains(net.dev); });
    remove_nets(function.children, devs);
  }
  std::erase_if(functions, [](const PcieSpec& function) {
    return function.kind != topology::PcieKind::gpu && function.nets.empty() &&
           function.children.empty();
  });
}

}  // namespace

std::vector<FusedNet> nets_to_fuse(const NodeSpec& node, const SearchEnvironment& environment) {
  return FusionPlan(node, environment).make();
}

NodeSpec fuse_nets(const NodeSpec& node, std::span<const FusedNet> fused, Version version) {
  NodeSpec out = node;
  std::set<int> gone;
  for (const FusedNet& one : fused) {
    const std::vector<NetPlace> members = members_of(out, one);
    NetSpec net = virtual_net(out, one, members);
    place_virtual_net(out, members, std::move(net), version);
    gone.insert(one.members.begin(), one.members.end());
  }
  if (gone.empty()) return out;
  for (topology::CpuSpec& cpu : out.cpus) remove_nets(cpu.pcie, gone);
  return out;
}

}  // namespace railyard::collectives::nccl
