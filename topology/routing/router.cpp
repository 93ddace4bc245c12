#include "topology/routing/router.hpp"

#include <fmt/format.h>

#include <string>

#include "core/diagnostic.hpp"
#include "topology/routing/fabric_router.hpp"
#include "topology/routing/hop_choice.hpp"
#include "topology/routing/node_router.hpp"

namespace railyard::topology {
namespace {

bool is_endpoint(DeviceKind kind) {
  return kind == DeviceKind::gpu || kind == DeviceKind::nic || kind == DeviceKind::nvswitch ||
         is_fabric_switch(kind);
}

}  // namespace

class Router::State {
 public:
  State(const Cluster& cluster, const RoutingOptions& options, Faults faults)
      : cluster_(cluster),
        options_(options),
        faults_(std::move(faults)),
        nodes_(cluster, faults_),
        fabric_(cluster, options, faults_) {}

  void route(const Connection& connection, std::vector<Hop>& hops);
  void paths(const Connection& connection, int count, std::vector<std::vector<LinkId>>& paths);
  void forget() { fabric_.forget(); }
  [[nodiscard]] const RoutingOptions& options() const { return options_; }
  [[nodiscard]] const Faults& faults() const { return faults_; }

 private:
  [[nodiscard]] int nic_of(DeviceId id, const Device& device, int wanted) const;
  [[nodiscard]] FabricEnd fabric_end(DeviceId device, NodeId node, int nic) const;
  void route_inside(NodeId node, NodeRouter::End from, NodeRouter::End to,
                    std::vector<Hop>& hops) const;
  [[nodiscard]] std::string name(NodeId node, NodeRouter::End end) const;
  [[noreturn]] void refuse(const FabricEnd& from, const FabricEnd& to, const Connection& c) const;
  [[nodiscard]] bool were_joined(const FabricEnd& from, const FabricEnd& to) const;

  const Cluster& cluster_;
  RoutingOptions options_;
  Faults faults_;
  NodeRouter nodes_;
  FabricRouter fabric_;
};

void Router::State::route(const Connection& connection, std::vector<Hop>& hops) {
  const auto [source, destination] = std::pair(connection.source, connection.destination);
  if (source == destination) return;
  const Device& a = cluster_.device(source);
  const Device& b = cluster_.device(destination);
  if (!is_endpoint(a.kind) || !is_endpoint(b.kind)) {
    const DeviceId end = is_endpoint(a.kind) ? destination : source;
    throw InputError("", "", fmt::format("{} cannot send or receive", cluster_.name(end)),
                     "route between GPUs, NICs and switches");
  }
  const NodeRouter::End here{a.kind, static_cast<int>(a.index)};
  const NodeRouter::End there{b.kind, static_cast<int>(b.index)};
  if (!a.node.is_none() && a.node == b.node) return route_inside(a.node, here, there, hops);
  const int nic_here = nic_of(source, a, connection.source_nic);
  const int nic_there = nic_of(destination, b, connection.destination_nic);
  const FabricEnd from = fabric_end(source, a.node, nic_here);
  const FabricEnd to = fabric_end(destination, b.node, nic_there);
  const std::size_t first = hops.size();
  if (a.kind == DeviceKind::gpu) route_inside(a.node, here, {DeviceKind::nic, nic_here}, hops);
  if (!fabric_.route(from, to, connection.label, hops)) {
    hops.resize(first);
    refuse(from, to, connection);
  }
  if (b.kind == DeviceKind::gpu) route_inside(b.node, {DeviceKind::nic, nic_there}, there, hops);
}

// The links before and after the fabric are the same for all queue pairs of a connection.
void Router::State::paths(const Connection& connection, int count,
                          std::vector<std::vector<LinkId>>& paths) {
  const Device& a = cluster_.device(connection.source);
  const Device& b = cluster_.device(connection.destination);
  std::vector<Hop> before, behind;
  const std::size_t first = paths.size();
  if (!a.node.is_none() && a.node == b.node) {
    route(connection, before);
    paths.resize(first + static_cast<std::size_t>(count));
  } else {
    const int nic_here = nic_of(connection.source, a, connection.source_nic);
    const int nic_there = nic_of(connection.destination, b, connection.destination_nic);
    const FabricEnd from = fabric_end(connection.source, a.node, nic_here);
    const FabricEnd to = fabric_end(connection.destination, b.node, nic_there);
    if (a.kind == DeviceKind::gpu)
      route_inside(a.node, {a.kind, static_cast<int>(a.index)}, {DeviceKind::nic, nic_here},
                   before);
    if (!fabric_.paths(from, to, connection.label, count, paths)) refuse(from, to, connection);
    if (b.kind == DeviceKind::gpu)
      route_inside(b.node, {DeviceKind::nic, nic_there}, {b.kind, static_cast<int>(b.index)},
                   behind);
  }
  for (std::size_t i = first; i < paths.size(); ++i) {
    std::vector<LinkId> path;
    path.reserve(before.size() + paths[i].size() + behind.size());
    for (const Hop& hop : before) path.push_back(hop.link);
    path.insert(path.end(), paths[i].begin(), paths[i].end());
    for (const Hop& hop : behind) path.push_back(hop.link);
    paths[i].swap(path);
  }
}

// The NIC through which a device of a node reaches the fabric; -1 for fabric switches.
int Router::State::nic_of(DeviceId id, const Device& device, int wanted) const {
  if (is_fabric_switch(device.kind)) return -1;
  if (device.kind == DeviceKind::nic) return static_cast<int>(device.index);
  if (device.kind == DeviceKind::nvswitch) {
    throw InputError("", "",
                     fmt::format("{} can only be reached from its own node", cluster_.name(id)),
                     "use a GPU of that node");
  }
  const NodeShape& shape = cluster_.shape(device.node);
  const int nic = wanted >= 0 ? wanted : shape.nearest_nic(static_cast<int>(device.index));
  if (nic >= 0 && nic < shape.nic_count()) return nic;
  const std::string what = nic < 0 ? std::string("no NIC") : fmt::format("no nic{}", nic);
  throw InputError("", "",
                   fmt::format("{2} cannot reach the fabric: node{0} has {1}", device.node.value(),
                               what, cluster_.name(id)),
                   fmt::format("the node has {} NICs", shape.nic_count()));
}

FabricEnd Router::State::fabric_end(DeviceId device, NodeId node, int nic) const {
  const FabricIndex& index = fabric_.fabric_paths().index();
  if (nic < 0) return {device, {}, index.find(device)};
  return {cluster_.nic(node, nic), index.ports(node, nic), SwitchId::none()};
}

void Router::State::route_inside(NodeId node, NodeRouter::End from, NodeRouter::End to,
                                 std::vector<Hop>& hops) const {
  if (nodes_.route(node, from, to, hops)) return;
  throw InputError(
      "", "",
      fmt::format("no path inside the node from {} to {}", name(node, from), name(node, to)),
      faults_.failed.empty() ? "no link of the node connects them"
                             : "the failed links disconnect them: fail fewer links");
}

std::string Router::State::name(NodeId node, NodeRouter::End end) const {
  return cluster_.name(nodes_.device(node, end));
}

bool Router::State::were_joined(const FabricEnd& from, const FabricEnd& to) const {
  const FabricIndex& index = fabric_.fabric_paths().index();
  const auto components = [&](const FabricEnd& end) {
    std::vector<std::uint32_t> found;
    if (!end.fabric_switch.is_none()) found.push_back(index.component_of(end.fabric_switch));
    for (const NicPort& port : end.ports) found.push_back(index.component_of(port.leaf));
    return found;
  };
  for (const std::uint32_t a : components(from)) {
    for (const std::uint32_t b : components(to)) {
      if (a == b) return true;
    }
  }
  return false;
}

void Router::State::refuse(const FabricEnd& from, const FabricEnd& to, const Connection& c) const {
  const auto end = [&](DeviceId device, DeviceId nic) {
    return device == nic ? cluster_.name(device)
                         : fmt::format("{} (by {})", cluster_.name(device), cluster_.name(nic));
  };
  std::string hint = "connect their switches by cables of the fabric";
  for (const FabricEnd& fabric_end : {from, to}) {
    if (fabric_end.fabric_switch.is_none() && fabric_end.ports.empty()) {
      hint = fmt::format("{} is not connected to a switch", cluster_.name(fabric_end.device));
    }
  }
  if (were_joined(from, to)) {
    hint = "the failed links disconnect them: fail fewer links, or use another NIC";
  } else if (cluster_.spec().fabric.kind == FabricKind::rail_only) {
    hint =
        "a rail_only fabric connects only NICs of the same rail: use PXN, or an algorithm that "
        "stays on "
        "rails";
  }
  throw InputError("", "",
                   fmt::format("no path from {} to {}", end(c.source, from.device),
                               end(c.destination, to.device)),
                   hint);
}

Router::Router(const Cluster& cluster, RoutingOptions options, Faults faults) {
  if (options.qps < 1) {
    throw InputError("", "--qps", fmt::format("{} queue pairs cannot carry data", options.qps),
                     "use 1 or more");
  }
  state_ = std::make_unique<State>(cluster, options, std::move(faults));
}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

void Router::route(const Connection& connection, std::vector<Hop>& hops) {
  state_->route(connection, hops);
}

void Router::paths(const Connection& connection, int count,
                   std::vector<std::vector<LinkId>>& paths) {
  state_->paths(connection, count, paths);
}

void Router::forget() { state_->forget(); }

bool Router::is_stateless() const { return topology::is_stateless(options().policy); }
const RoutingOptions& Router::options() const { return state_->options(); }
const Faults& Router::faults() const { return state_->faults(); }

}  // namespace railyard::topology
